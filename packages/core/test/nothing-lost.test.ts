import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { type Rig, outcomes, rig } from './rig.js';

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
    const result = await used.run([{ script: work(lost), requires: ['marker'] }]);
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
