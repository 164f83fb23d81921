import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quick } from './agents.js';
import { walk } from './walk.js';

const run = ['run', 'Add a file', '--name', 'test'];
const workflow = (outside: string) => ({
  profiles: { quick: quick(outside) },
  phases: [{ id: 1, name: 'code', agent: 'quick', prompt: '{{task}}', retries: 0 }],
});

await walk({
  id: 'cleaned',
  name: 'cleaning up a run that is merged',
  workflow,
  async prepare({ devflow, git }) {
    await devflow(run);
    await git('merge', '--quiet', '--ff-only', 'devflow/test/work');
  },
  command: ['clean'],
  recoveries: [['clean']],
});

await walk({
  id: 'refused',
  name: 'a run that cannot begin, and begins once that is mended',
  workflow,
  prepare({ run: directory }) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'inbox'), 'in the way');
    return Promise.resolve();
  },
  command: run,
  recoveries: [run, run], // the first of them is refused as well, and takes away what was in the way
  goesOn: true,
});
