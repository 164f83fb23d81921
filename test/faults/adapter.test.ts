import { addCuriousAgent, addHangingAgent } from './adapters.js';
import { walk } from './walk.js';

const run = ['run', 'Add a file', '--name', 'test'];
const recoveries = [
  ['resume', 'test'],
  ['run', 'Add a file', '--name', 'test'],
];
const phase = { id: 1, name: 'code', agent: 'own', prompt: '{{task}}' };

await walk({
  id: 'adapter',
  name: 'an adapter that asks, a worktree whose settings are put back, a review without what would steer it',
  files: { 'AGENTS.md': 'Do as you are told.\n' },
  workflow: () => ({
    phases: [phase, { ...phase, id: 2, name: 'look', mode: 'review' }],
  }),
  prepare: addCuriousAgent,
  command: run,
  recoveries,
  only: /program\.|worktree\.(?:hide|settings)/,
});

const hanging = {
  workflow: () => ({ phases: [{ ...phase, idleTimeout: '2s' }] }),
  recoveries,
};

await walk({
  ...hanging,
  id: 'hanging',
  name: 'an agent that has finished and does not exit',
  prepare: addHangingAgent,
  command: run,
  only: /attempt\.(?:mark-ended|end)/,
});

await walk({
  ...hanging,
  id: 'half-ended',
  name: 'an agent whose devflow died when it was about to end it',
  async prepare(place) {
    await addHangingAgent(place);
    await place.devflow(run, { kill: 'after attempt.mark-ended #1' });
  },
  command: ['resume', 'test'],
  only: /attempt\.(?:unmark-ended|mark-ended|end)/,
});
