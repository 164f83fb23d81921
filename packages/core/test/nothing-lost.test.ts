import { readFileSync } from 'node:fs';
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
