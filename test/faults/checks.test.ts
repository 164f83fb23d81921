import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { launched } from './agents.js';
import { walk } from './walk.js';

await walk({
  id: 'protected',
  name: 'an agent that changes a protected test once, and checks from what was accepted, also before it',
  files: { '.gitignore': '.env\n', 'test/made.sh': 'test -e work-2 && test -e .env\n' },
  workflow: (outside) => ({
    worktree: { copy: ['.env'] },
    profiles: {
      worker: scriptedAgent(
        `${launched(outside, 'worker')}; if test $n = 1; then echo true >test/made.sh; else git checkout -q HEAD -- test; ${commitFile('work-2')}; fi; ${giveAnswer()}`,
      ),
    },
    phases: [
      {
        id: 1,
        name: 'code',
        agent: 'worker',
        prompt: '{{task}}',
        retries: 1,
        protect: ['test/**'],
        checks: [{ name: 'made', command: ['sh', 'test/made.sh'], before: true }],
        checkFrom: 'accepted',
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
  only: /checks|protected|worktree\.|command\.|attempt-ended|attempt\.make/,
});
