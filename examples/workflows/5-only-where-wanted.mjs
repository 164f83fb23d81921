// A phase that is done only where its condition holds; the run says that it skipped it.
export default {
  name: 'only-where-wanted',
  profiles: { mine: { adapter: 'command', command: ['sh', '.devflow/agent.sh'] } },
  defaults: { agent: 'mine' },
  variables: { docs: 'no' }, // for one run: --var docs=yes
  phases: [
    {
      id: 1,
      name: 'code',
      prompt: 'Task: {{task}}\n\nWrite greet.sh.',
      checks: [{ name: 'tests', command: ['sh', 'test.sh'] }],
      onRejected: { goto: 'code', max: 5 },
    },
    {
      id: 2,
      name: 'document',
      when: 'phases.code.outcome == "completed" && vars.docs == "yes"',
      prompt: 'Describe what greet.sh does in README.md: {{phases.code.summary}}',
    },
  ],
};
