// The tests decide, so the agent may not change them, nor how they are run.
export default {
  name: 'protected-tests',
  profiles: { mine: { adapter: 'command', command: ['sh', '.devflow/agent.sh'] } },
  defaults: { agent: 'mine' },
  phases: [
    {
      id: 1,
      name: 'code',
      prompt: 'Task: {{task}}\n\nWrite greet.sh. Leave the tests as they are.',
      protect: ['test.sh', 'test/**', 'package.json#scripts.test'],
      checkFrom: 'base', // and even if it could: the tests of the commit that the run started from are run
      checks: [{ name: 'tests', command: ['sh', 'test.sh'] }],
      onRejected: { goto: 'code', max: 5 },
    },
  ],
};
