// Functions of your own: whether a phase is wanted, and what stands in its way.
import { existsSync } from 'node:fs';
import path from 'node:path';

export default {
  name: 'hooks',
  profiles: { mine: { adapter: 'command', command: ['sh', '.devflow/agent.sh'] } },
  defaults: { agent: 'mine' },
  hooks: {
    wanted({ task }) {
      const run = /world/i.test(task);
      return { run, reason: run ? 'the task names the world' : 'the task names nobody' };
    },
    notFrozen: ({ cwd }) =>
      existsSync(path.join(cwd, 'FREEZE'))
        ? [{ code: 'FROZEN', message: 'there is a file FREEZE', hint: 'Wait until it is gone.' }]
        : [],
  },
  phases: [
    {
      id: 1,
      name: 'code',
      prompt: 'Task: {{task}}\n\nWrite greet.sh.',
      when: { hook: 'wanted' },
      preflight: [{ hook: 'notFrozen' }],
    },
  ],
};
