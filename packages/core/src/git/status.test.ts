import { describe, expect, it } from 'vitest';
import { parseLog } from './history.js';
import { parseStatus } from './status.js';

describe('the output of git', () => {
  it('of a repository without a commit has no head', () => {
    expect(parseStatus('# branch.oid (initial)\0# branch.head main\0? a\0')).toEqual({
      branch: 'main',
      uncommitted: ['a'],
      untracked: ['a'],
      onlyMissing: false,
    });
    expect(parseStatus('')).toEqual({ uncommitted: [], untracked: [], onlyMissing: true });
  });

  it('of every kind of entry gives the path as it is', () => {
    const hash = 'a'.repeat(40);
    const entries = [
      `1 .M N... 100644 100644 100644 ${hash} ${hash} a b`,
      `2 R. N... 100644 100644 100644 ${hash} ${hash} R100 new name\0? old name`,
      `u UU N... 100644 100644 100644 100644 ${hash} ${hash} ${hash} both sides`,
      '? un tracked',
      '! ignored',
    ];
    expect(parseStatus(`${entries.join('\0')}\0`).uncommitted).toEqual([
      'a b',
      'new name',
      'both sides',
      'un tracked',
    ]);
  });

  it('of a log is read record by record, the oldest first', () => {
    expect(parseLog('')).toEqual([]);
    expect(parseLog('>\0b\0a c\0t2\0Merge\0-\0a\0\0t1\0\0')).toEqual([
      { hash: 'a', parents: [], tree: 't1', subject: '', boundary: true },
      { hash: 'b', parents: ['a', 'c'], tree: 't2', subject: 'Merge', boundary: false },
    ]);
  });
});
