import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { launched, quick } from './agents.js';
import type { Place } from './devflow.js';
import { walk } from './walk.js';

const resume = { command: ['resume', 'test'], recoveries: [['resume', 'test']] };
/** What the others do not walk: taking a run up, and what is mended then. */
const mending =
  /run\.(?:lock|unmark-ended|end-helpers|remove-half)|run-resumed|worktree|branch|repository/;
const run = ['run', 'Add a file', '--name', 'test'];
const phase = { id: 1, name: 'code', prompt: '{{task}}', retries: 0 };

await walk({
  id: 'failed',
  name: 'a run that failed, resumed',
  workflow: (outside) => ({
    profiles: {
      mendable: scriptedAgent(
        `${launched(outside, 'mendable')}; test -e '${outside}/mended' || exit 1; ${commitFile('made.txt')}; ${giveAnswer()}`,
      ),
    },
    phases: [{ ...phase, agent: 'mendable' }],
  }),
  async prepare({ devflow, directory }) {
    await devflow(run);
    writeFileSync(path.join(directory, 'mended'), '');
  },
  ...resume,
  only: mending,
});

const worktreeOf = async ({ git, root }: Place) => {
  const lines = (await git('worktree', 'list', '--porcelain')).split('\n');
  const other = lines.find((line) => line.startsWith('worktree ') && line !== `worktree ${root}`);
  return other?.slice('worktree '.length) ?? '';
};

const oneQuickPhase = (outside: string) => ({
  profiles: { quick: quick(outside) },
  phases: [{ ...phase, agent: 'quick' }],
});

await walk({
  id: 'unfilled',
  name: 'a run whose devflow died before its worktree was filled, resumed',
  workflow: oneQuickPhase,
  async prepare(place) {
    await place.devflow(run, { kill: 'after worktree.add #1' });
    writeFileSync(path.join(place.run, `run.json.${crypto.randomUUID()}.tmp`), '{');
  },
  ...resume,
  only: mending,
});

await walk({
  id: 'half-added',
  name: 'a run whose devflow died while git added its worktree, resumed',
  workflow: oneQuickPhase,
  async prepare(place) {
    await place.devflow(run, { kill: 'after worktree.add #1' });
    // As git leaves it where it is cut off: the branch and the entry are there, and nothing in the directory.
    const worktree = await worktreeOf(place);
    rmSync(path.join(worktree, '.git'));
    writeFileSync(path.join(worktree, '.git'), 'gitdir: ');
  },
  ...resume,
  only: mending,
});

await walk({
  id: 'half-removed',
  name: 'a run whose devflow died while git removed its worktree, resumed',
  workflow: oneQuickPhase,
  async prepare(place) {
    await place.devflow(run, { kill: 'before worktree.remove #1' });
    rmSync(path.join(await worktreeOf(place), 'README.md'));
  },
  ...resume,
  only: mending,
});
