import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} Repository
 * @property {string} directory
 * @property {(...args: string[]) => string} git runs git there and gives its output
 * @property {() => void} forgetRuns removes every branch but main, every worktree, and what runs left
 */

const FILES = 300;
const FILES_IN_A_DIRECTORY = 20;

/**
 * A repository with 300 files of about 2 KB on its main branch. Housekeeping is off for every side:
 * it would begin in the middle of somebody's measurement.
 * @param {import('./world.js').World} world
 * @param {string} [name]
 * @returns {Repository}
 */
export function makeRepository(world, name = 'repository') {
  const directory = path.join(world.directory, name);
  mkdirSync(directory);
  /** @param {string[]} args */
  const git = (...args) =>
    execFileSync('git', args, { cwd: directory, env: world.env, encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch=main');
  for (const [key, value] of [
    ['user.name', 'Bench'],
    ['user.email', 'bench@example.org'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
  ])
    git('config', key, value);
  for (let number = 0; number < FILES; number += 1) {
    const folder = path.join(directory, `part-${Math.floor(number / FILES_IN_A_DIRECTORY)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `file-${number}.txt`), `line of file ${number}\n`.repeat(100));
  }
  writeFileSync(path.join(directory, '.gitignore'), '.sandcastle/\n');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'the base');
  return {
    directory,
    git,
    forgetRuns() {
      const listed = git('worktree', 'list', '--porcelain').matchAll(/^worktree (.*)$/gm);
      for (const [, worktree = ''] of [...listed].slice(1))
        git('worktree', 'remove', '--force', '--force', worktree);
      const branches = git('for-each-ref', '--format=delete %(refname)', 'refs/heads/')
        .split('\n')
        .filter((line) => line !== '' && line !== 'delete refs/heads/main');
      execFileSync('git', ['update-ref', '--stdin'], {
        cwd: directory,
        env: world.env,
        input: branches.map((line) => `${line}\n`).join(''),
      });
      rmSync(path.join(directory, '.git', 'devflow'), { recursive: true, force: true });
      rmSync(path.join(directory, '.sandcastle'), { recursive: true, force: true });
    },
  };
}
