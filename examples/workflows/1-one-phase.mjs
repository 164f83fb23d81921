// One phase. It is complete when its work is committed, nothing else is left, the agent says so, and the check passes.
export default {
  name: 'one-phase',
  profiles: { mine: { adapter: 'command', command: ['sh', '.devflow/agent.sh'] } },
  defaults: { agent: 'mine' }, // or 'claude', 'codex', 'opencode': then without `profiles`
  phases: [
    {
      id: 1,
      name: 'code',
      prompt: 'Task: {{task}}\n\nWrite greet.sh.',
      checks: [{ name: 'tests', command: ['sh', 'test.sh'], timeout: '1m' }],
      retries: 2, // further attempts, each told what was found
    },
  ],
};
