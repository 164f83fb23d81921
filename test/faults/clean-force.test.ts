import type { WorkflowDefinition } from '@devflow/core';
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

const workflow = (outside: string): WorkflowDefinition => ({
  profiles: { half: half(outside) },
  phases: [
    {
      id: 1,
      name: 'code',
      agent: 'half',
      prompt: '{{task}}',
      retries: 0,
      requires: ['commit', 'answer'],
    },
  ],
});

const run = ['run', 'Add a file', '--name', 'test'];

await walk({
  id: 'forced',
  name: 'cleaning up by force: what was not committed is saved, or still there',
  workflow,
  async prepare({ devflow }) {
    await devflow(run);
  },
  command: ['clean', '--force'],
  recoveries: [['clean', '--force']],
});

await walk({
  id: 'restored',
  name: 'bringing back what was saved',
  workflow,
  async prepare({ devflow }) {
    await devflow(run);
    await devflow(['clean', 'test', '--force']);
  },
  command: ['salvage', 'restore', 'test'],
  recoveries: [['salvage', 'restore', 'test']],
});
