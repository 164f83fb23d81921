import { nobodyIsLeft } from '../../packages/cli/test/command-line.js';
import { quick } from './agents.js';
import { walk } from './walk.js';

const run = ['run', 'Add a file', '--name', 'test'];

await walk({
  id: 'detached',
  name: 'a run without a terminal',
  workflow: (outside) => ({
    profiles: { quick: quick(outside) },
    phases: [{ id: 1, name: 'code', agent: 'quick', prompt: '{{task}}', retries: 0 }],
  }),
  command: [...run, '--detach'],
  recoveries: [['resume', 'test'], run],
  // It goes on where nobody waits for it, also where the command that began it was killed.
  until: ({ home }) => nobodyIsLeft(home),
});
