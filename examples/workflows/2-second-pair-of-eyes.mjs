// Two phases: what the first has done, the second judges, and sends back with its reasons.
export default {
  name: 'second-pair-of-eyes',
  profiles: { mine: { adapter: 'command', command: ['sh', '.devflow/agent.sh'] } },
  defaults: { agent: 'mine' },
  phases: [
    { id: 1, name: 'code', prompt: 'Task: {{task}}\n\nWrite greet.sh.' },
    {
      id: 2,
      name: 'validate',
      mode: 'review', // in a checkout that is thrown away
      requires: ['answer', 'verdict'],
      prompt: 'Task: {{task}}\n\nIs it reached by this change?\n\n{{run.diff}}',
      onGaps: { goto: 'code', max: 3 }, // over the whole run
    },
  ],
};
