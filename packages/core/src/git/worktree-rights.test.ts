import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceProgram } from '../../test/source-program.js';
import { place } from '../../test/worktree-place.js';
import { addWorktree } from './worktree.js';

const program = sourceProgram(`
    import { measureWorktree } from 'devflow:git/measure';
    import { findRepository } from 'devflow:git/repository';
    import { removeCleanWorktree, removeWorktree } from 'devflow:git/worktree';
    const [how, root, directory] = process.argv.slice(2);
    const { env } = process;
    const repository = await findRepository(root, env);
    const answer =
      how === 'measure' ? (await measureWorktree(directory, 'HEAD', env)).uncommitted
      : await (how === 'clean' ? removeCleanWorktree : removeWorktree)(repository, directory, env);
    process.stdout.write(JSON.stringify(answer ?? null));
  `);

const user = 2_000_000 + process.pid; // nobody has it

/** A worktree that ignores `cache`, and what devflow says of it as an ordinary user who owns it all. */
async function ofAnOrdinaryUser(fill: (directory: string) => void) {
  if (process.getuid?.() !== 0)
    throw new Error('this test starts a process as another user: it can only be run by root');
  const used = await place({ parent: '/tmp' }); // where that user gets to, wherever the other tests are
  const file = path.join(used.directory, 'program.mjs');
  copyFileSync(program(), file);
  const base = await used.commit({ '.gitignore': 'cache\n' });
  const worktree = { ...used.worktree('one'), commit: base };
  const { directory } = worktree;
  await addWorktree(used.repository, worktree, used.env);
  fill(directory);
  execFileSync('chown', ['-R', `${user}:${user}`, used.directory]);
  const ask = (how: 'measure' | 'clean' | 'force'): unknown => {
    const as = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
    const args = [...as, process.execPath, file, how, used.root, directory];
    return JSON.parse(execFileSync('setpriv', args, { encoding: 'utf8', env: used.env }));
  };
  return { used, directory, ask };
}

function fillCache(directory: string): void {
  for (const [name, mode] of [
    ['read-only', 0o500],
    ['closed', 0],
  ] as const) {
    const cache = path.join(directory, 'cache', name);
    mkdirSync(cache, { recursive: true });
    writeFileSync(path.join(cache, 'file'), 'x');
    chmodSync(cache, mode);
  }
}

describe('a worktree with directories that do not let their owner write', () => {
  it.each(['clean', 'force'] as const)('is removed all the same (%s)', async (how) => {
    const { used, directory, ask } = await ofAnOrdinaryUser(fillCache);
    expect(ask(how)).toBeNull();
    expect(existsSync(directory)).toBe(false);
    execFileSync('chown', ['-R', '0:0', used.directory]);
    expect((await used.git('worktree', 'list')).split('\n')).toHaveLength(1);
  });

  it('is said to be there still where they are those of somebody else, and how it goes', async () => {
    const { directory, ask } = await ofAnOrdinaryUser(fillCache);
    execFileSync('chown', ['-R', '0:0', path.join(directory, 'cache')]);
    const said = ask('clean');
    expect(said).toMatch(
      /^git has let go of it, but not all of it can be deleted \(failed to delete/,
    );
    expect(said).toContain(`rm -rf '${directory}'`);
    expect(existsSync(path.join(directory, 'cache', 'closed', 'file'))).toBe(true);
  });

  it('is not clean where git cannot look into one that is not ignored', async () => {
    const { directory, ask } = await ofAnOrdinaryUser((at) => {
      mkdirSync(path.join(at, 'closed'));
      writeFileSync(path.join(at, 'closed', 'work.txt'), 'precious');
      chmodSync(path.join(at, 'closed'), 0);
    });
    expect(ask('measure')).toEqual(['closed/']);
    expect(existsSync(path.join(directory, 'closed', 'work.txt'))).toBe(true);
  });
});
