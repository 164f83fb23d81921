import { describe, expect, it } from 'vitest';
import { fold } from './fold.js';
import type { JournalRecord, RecordBody } from './records.js';

const began: RecordBody = { type: 'checks-began', phase: 1, others: ['a'] };
const intended: RecordBody = { type: 'attempt-intended', phase: 1, attempt: 1, directory: '/d', cwd: '/d', token: 't', hiding: '', agent: 'x' }; // prettier-ignore
const ended = (left?: Record<string, string>): RecordBody => ({ type: 'attempt-ended', phase: 1, attempt: 1, outcome: 'rejected', reasons: [], commits: [], checks: [], durationMs: 1, ...(left && { left }) }); // prettier-ignore
const entered: RecordBody = { type: 'phase-entered', phase: 1, head: 'h', because: 'x' };

function leftAfter(...bodies: readonly RecordBody[]) {
  const records = [entered, ...bodies].map((body, seq): JournalRecord => ({
    v: 1,
    ...body,
    seq,
    at: '',
  }));
  return fold(records).checksLeft;
}

describe('what checks left', () => {
  it.each<[string, RecordBody[], unknown]>([
    ['is all that came, while they run', [intended, began], { others: ['a'] }],
    ['is as they left it', [intended, began, ended({ b: '1' })], { paths: { b: '1' } }],
    ['stays so', [intended, began, ended({ b: '1' }), intended, ended()], { paths: { b: '1' } }],
    ['is nothing', [intended, began, ended()], { paths: {} }],
    ['is nothing that an agent may have made', [began, intended], { paths: {} }],
    [
      'before the first attempt is that too',
      [began, { type: 'checks-before', phase: 1, checks: [], left: { b: '1' } }, intended],
      { paths: { b: '1' } },
    ],
    ['is not known where none ran', [intended, ended()], undefined],
  ])('%s', (_, records, expected) => {
    expect(leftAfter(...records)).toEqual(expected);
  });
});
