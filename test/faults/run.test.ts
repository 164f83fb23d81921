import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { launched } from './agents.js';
import { walk } from './walk.js';

const gaps = giveAnswer({ status: 'success', verdict: 'gaps', reason: 'not yet' });
const pass = giveAnswer({ status: 'success', verdict: 'pass' });

await walk({
  id: 'whole',
  name: 'a run with setup, a retry, checks, and a review that finds gaps once',
  files: { '.gitignore': '.env\n' },
  workflow: (outside) => ({
    worktree: { copy: ['.env'], setup: [{ name: 'setup', command: ['test', '-e', '.env'] }] },
    profiles: {
      worker: scriptedAgent(
        `${launched(outside, 'worker')}; test $n = 1 || { ${commitFile('work-$n').replaceAll("'", '"')}; }; ${giveAnswer()}`,
      ),
      reviewer: scriptedAgent(
        `${launched(outside, 'reviewer')}; if test $n = 1; then ${gaps}; else ${pass}; fi`,
      ),
    },
    phases: [
      {
        id: 1,
        name: 'code',
        agent: 'worker',
        prompt: '{{task}}',
        preflight: [{ name: 'ready', command: ['true'] }],
        checks: [{ name: 'made', command: ['test', '-e', 'work-2'] }],
      },
      {
        id: 2,
        name: 'validate',
        agent: 'reviewer',
        mode: 'review',
        prompt: '{{run.diff}}',
        requires: ['answer', 'verdict'],
        onGaps: { goto: 'code', max: 1 },
      },
    ],
  }),
  prepare({ write }) {
    write({ '.env': 'KEY=value\n' });
    return Promise.resolve();
  },
  command: ['run', 'Add files', '--name', 'test'],
  recoveries: [
    ['resume', 'test'],
    ['run', 'Add files', '--name', 'test'],
  ],
});
