import { describe, expect, it } from 'vitest';
import { parseLog } from './history.js';
import { parseStatus } from './status.js';

describe('the output of git', () => {
  it('of a repository without a commit has no head', () => {
    expect(parseStatus('# branch.oid (initial)\0# branch.head main\0? a\0')).toEqual({
      branch: 'main',
      uncommitted: ['a'],
      untracked: ['a'],
      missing: [],
    });
    expect(parseStatus('')).toEqual({ uncommitted: [], untracked: [], missing: [] });
  });

  it('of every kind of entry gives the path as it is', () => {
    const hash = 'a'.repeat(40);
    const entries = [
      `1 .M N... 100644 100644 100644 ${hash} ${hash} a b`,
      `1 .D N... 100644 100644 000000 ${hash} ${hash} not there`,
      `2 R. N... 100644 100644 100644 ${hash} ${hash} R100 new name\0? old name`,
      `u UU N... 100644 100644 100644 100644 ${hash} ${hash} ${hash} both sides`,
      '? un tracked',
      '! ignored',
    ];
    const { uncommitted, missing } = parseStatus(`${entries.join('\0')}\0`);
    expect(uncommitted).toEqual(['a b', 'not there', 'new name', 'both sides', 'un tracked']);
    expect(missing).toEqual(['not there']);
  });

  it('of a log is read record by record, the oldest first', () => {
    expect(parseLog('')).toEqual([]);
    expect(parseLog('>\0b\0a c\0t2\0Merge\0-\0a\0\0t1\0\0')).toEqual([
      { hash: 'a', parents: [], tree: 't1', subject: '', boundary: true },
      { hash: 'b', parents: ['a', 'c'], tree: 't2', subject: 'Merge', boundary: false },
    ]);
  });
});
