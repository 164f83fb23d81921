// A person looks at the work before it is shipped. The run waits for them without a process.
export default {
  name: 'a-person-decides',
  profiles: { mine: { adapter: 'command', command: ['sh', '.devflow/agent.sh'] } },
  defaults: { agent: 'mine' },
  phases: [
    {
      id: 1,
      name: 'code',
      prompt: 'Task: {{task}}\n\nWrite greet.sh.',
      gate: { when: 'after', message: 'Is this how we greet?' },
    },
    {
      id: 2,
      name: 'validate',
      mode: 'review',
      requires: ['answer', 'verdict'],
      prompt: 'Task: {{task}}\n\nIs it reached by this change?\n\n{{run.diff}}',
    },
  ],
};
