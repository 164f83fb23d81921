// The workflow of the example. With a real agent only `profiles` would be different.
export default {
  name: 'hello',
  // The agent is the small program beside this file, so there is nobody to confine.
  sandbox: 'none',
  profiles: {
    scripted: {
      adapter: 'command',
      command: ['node', '.devflow/agent.js'],
      // An agent sees only what is named here: devflow passes no other variable of yours on.
      env: { HELLO_SKIP_FIX: process.env.HELLO_SKIP_FIX ?? '0' },
    },
  },
  defaults: { agent: 'scripted', timeout: '1m' },
  phases: [
    {
      id: 1,
      name: 'define',
      mode: 'review',
      prompt: 'Task: {{task}}\n\nSay what is to be reached.',
    },
    {
      id: 2,
      name: 'plan',
      mode: 'review',
      prompt: 'Plan the work for: {{phases.define.summary}}',
    },
    {
      id: 3,
      name: 'code',
      prompt: 'Task: {{task}}\n\nPlan: {{phases.plan.summary}}\n\nWrite code and a test.',
      checks: [{ name: 'tests', command: ['node', '--test'], timeout: '1m' }],
    },
    {
      id: 4,
      name: 'validate',
      mode: 'review',
      requires: ['answer', 'verdict'],
      prompt: 'Judge the commits since {{run.base}}: is this reached? {{phases.define.summary}}',
      onGaps: { goto: 'code', max: 2 },
    },
    {
      id: 5,
      name: 'ship',
      prompt: 'Note the change in CHANGELOG.md: {{task}}',
    },
  ],
};
