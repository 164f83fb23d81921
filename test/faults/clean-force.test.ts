import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { launched } from './agents.js';
import { walk } from './walk.js';

/** Commits, changes that, and leaves another file uncommitted. */
const half = (outside: string) => {
  const more = "echo changed >made.txt; echo new >'not added.txt'";
  return scriptedAgent(
    `${launched(outside, 'half')}; ${commitFile('made.txt')}; ${more}; ${giveAnswer()}`,
  );
};

await walk({
  name: 'cleaning up by force: what was not committed is saved, or still there',
  workflow: (outside) => ({
    profiles: { half: half(outside) },
    phases: [
      {
        id: 1,
        name: 'code',
        agent: 'half',
        prompt: '{{task}}',
        retries: 0,
        requires: ['commit', 'marker'],
      },
    ],
  }),
  async prepare({ devflow }) {
    await devflow(['run', 'Add a file', '--name', 'test']);
  },
  command: ['clean', '--force'],
  recoveries: [['clean', '--force']],
});
