import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryGit } from '../src/git/git.js';
import { findRepository } from '../src/git/repository.js';
import { removeCleanWorktree } from '../src/git/worktree.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { type Rig, type ScriptedPhase, done, outcomes, rig } from './rig.js';

const work = (more: string) =>
  `cat >/dev/null; ${commitFile('done.txt')}; ${more}; ${giveAnswer()}`;

/** What devflow says of a worktree that it kept. */
function keptBecause({ events }: Rig): string[] {
  return events.flatMap((event) =>
    event.type === 'note' && / is kept: /.test(event.text)
      ? (event.text.split(' is kept: ')[1] ?? [])
      : [],
  );
}

/** Where the run's worktree is, or was. */
function worktreeOf(used: Rig): string {
  const made = used.journal('test').find(({ type }) => type === 'worktree-ready');
  return made?.['directory'] as string;
}

describe('a file in the place of a submodule that is not there', () => {
  const naming = `git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub"; git commit -qm sub`;
  const lost = `${naming}; mkdir -p sub; echo precious >sub/work.txt`;

  it('is not committed: the phase has not completed', async () => {
    const used = await rig();
    const result = await used.run([{ script: work(lost) }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(result.reason).toMatch(/not committed: sub\/work\.txt/);
  });

  it('keeps the worktree also where nothing asks for a clean one', async () => {
    const used = await rig();
    const result = await used.run([{ script: work(lost), requires: ['answer'] }]);
    expect(result.state).toBe('completed');
    expect(keptBecause(used)).toEqual(['not committed there: sub/work.txt']);
    expect(readFileSync(path.join(worktreeOf(used), 'sub', 'work.txt'), 'utf8')).toBe('precious\n');
  });
});

describe('a file that git is told not to show', () => {
  const hidden = 'echo precious >hidden.txt';
  const config = 'git config --file "$(git rev-parse --git-common-dir)/config"';

  it.each([
    [
      "by the repository's own settings",
      `echo hidden.txt >"$HOME/patterns"; ${config} core.excludesFile "$HOME/patterns"`,
    ],
    [
      'by settings that the repository includes',
      `echo hidden.txt >"$HOME/patterns"; printf '[core]\n\texcludesFile = ~/patterns\n' >"$HOME/more"; ${config} include.path "$HOME/more"`,
    ],
    [
      'by the patterns of the user',
      'mkdir -p "$HOME/.config/git"; echo hidden.txt >"$HOME/.config/git/ignore"',
    ],
    ["in a file that the user's settings name", 'echo hidden.txt >>"$HOME/my patterns"'],
  ])('%s has not passed for committed', async (_, hide) => {
    const used = await rig();
    writeFileSync(
      path.join(used.repository.home, '.gitconfig'),
      '[core]\n  excludesfile = "~/my patterns" # mine\n',
    );
    const result = await used.run([{ script: work(`${hidden}; ${hide}`) }]);
    expect(outcomes(result)).toEqual(['1 rejected']);
    expect(result.reason).toMatch(/what git is told not to show/);
  });

  it('is fine where that was so before, and other settings are changed', async () => {
    const used = await rig();
    const { home, git } = used.repository;
    writeFileSync(path.join(home, 'patterns'), 'hidden.txt\n');
    await git('config', 'core.excludesFile', path.join(home, 'patterns'));
    const others = `${config} core.hooksPath .husky; ${config} user.email agent@example.com; git config --global alias.x status`;
    const result = await used.run([{ script: work(`${hidden}; ${others}`) }]);
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(keptBecause(used)).toEqual([]);
  });

  it('by an attempt before keeps the worktree after a later one that did nothing of the kind', async () => {
    const used = await rig();
    const first = `${hidden}; echo hidden.txt >>"$(git rev-parse --git-common-dir)/info/exclude"`;
    const script = work(
      `if [ ! -e "$HOME/again" ]; then touch "$HOME/again"; ${first}; exit 1; fi`,
    );
    const result = await used.run([{ script, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 failed', '1 completed']);
    expect(keptBecause(used)).toEqual(['not committed there: hidden.txt']);
  });
});

describe('a worktree in which git finds nothing uncommitted', () => {
  const merging = `git switch -qc side HEAD~; ${commitFile('side.txt')}; git switch -q -; echo precious >>README.md; git merge -q --autostash --no-commit --no-ff -s ours side`;

  it('with a merge under way has not completed the phase', async () => {
    const used = await rig();
    const result = await used.run([{ script: work(merging) }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(result.reason).toMatch(/a merge is under way in the worktree/);
  });

  it.each([
    ['a merge under way', merging, /^a merge is under way there$/],
    [
      'a stash of a merge that was not put back',
      `git update-ref refs/x HEAD; git rev-parse HEAD >"$(git rev-parse --git-dir)/MERGE_AUTOSTASH"`,
      /^what git stashed there/,
    ],
    [
      'a ref of its own',
      'git update-ref refs/worktree/mine "$(git commit-tree -m precious HEAD^{tree})"',
      /^it has refs of its own/,
    ],
    [
      'a lock that somebody put on it',
      'git worktree unlock "$PWD"; git worktree lock --reason "mine, keep" "$PWD"',
      /^it is locked: mine, keep$/,
    ],
    [
      'another worktree in it',
      'echo inner >.gitignore; git add .gitignore; git commit -qm ignore; git worktree add -q --detach inner; echo precious >inner/work.txt',
      /^another worktree is in it: .*\/inner$/,
    ],
  ])('is kept with %s, and why is told', async (_, script, why) => {
    const used = await rig();
    const result = await used.run([{ script: work(script), requires: ['answer'] }]);
    expect(result.state).toBe('completed');
    expect(keptBecause(used)).toEqual([expect.stringMatching(why)]);
    const directory = worktreeOf(used);
    const { root, env } = used.repository;
    expect(await tryGit(directory, ['status', '--porcelain'], env)).toMatchObject({ status: 0 });
    expect(await removeCleanWorktree(await findRepository(root, env), directory, env)).toMatch(why);
    expect(existsSync(directory)).toBe(true);
  });

  it('goes where a worktree within was taken away', async () => {
    const used = await rig();
    const inner = 'git worktree add -q --detach inner; rm -rf inner';
    await used.run([{ script: work(inner), requires: ['answer'] }]);
    expect(keptBecause(used)).toEqual([]);
    expect(existsSync(worktreeOf(used))).toBe(false);
  });
});

describe("a user's own worktree in the place of a review's checkout", () => {
  const review = (more: string): ScriptedPhase => ({
    script: `cat >/dev/null; ${more}; ${giveAnswer()}`,
    mode: 'review',
  });
  /** Made while the first phase works, beside the run's own. */
  const made = (name: string, more = '') => {
    const add = `git worktree add -q --detach ${more} "$PWD/../test.${name}"`;
    return `cat >/dev/null; ${add}; echo precious >"../test.${name}/mine.txt"; ${done}`;
  };

  it('stays, whatever its name is', async () => {
    const used = await rig();
    await used.run([
      { script: `${made('review-mine')}; ${made('review-2-7', '--lock')}` },
      review('true'),
    ]);
    const directory = worktreeOf(used);
    for (const name of ['review-mine', 'review-2-7'])
      expect(readFileSync(`${directory}.${name}/mine.txt`, 'utf8')).toBe('precious\n');
    const notes = used.events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
    expect(notes).toContain(`the checkout ${directory}.review-2-7 is still there: it has not devflow's mark`); // prettier-ignore
    expect(notes.join('\n')).not.toContain('review-mine');
    expect(existsSync(`${directory}.review-2-1`)).toBe(false);
  });

  it('stands in the way of a review that needs just that place', async () => {
    const used = await rig();
    const result = await used.run([{ script: made('review-2-1') }, review('true')]);
    expect(result).toMatchObject({ state: 'waiting', problems: [{ code: 'REVIEW_PLACE_TAKEN' }] });
    expect(readFileSync(`${worktreeOf(used)}.review-2-1/mine.txt`, 'utf8')).toBe('precious\n');
  });

  it('is what a checkout is taken for whose mark the reviewer took away', async () => {
    const used = await rig();
    await used.run([{ script: done }, review('git worktree unlock "$PWD"')]);
    expect(existsSync(`${worktreeOf(used)}.review-2-1`)).toBe(true);
  });
});
