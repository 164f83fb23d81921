import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ended,
  entered,
  holder,
  intended,
  journalOf,
  resumed,
  runEnded,
  skipped,
  started,
  waiting,
} from '../../test/journal-of.js';
import { temporaryDirectory } from '../../test/temporary.js';
import { readJournal } from './journal.js';
import type { RecordBody } from './records.js';

const preflight: RecordBody = {
  type: 'preflight',
  phase: 1,
  problems: [{ code: 'C', message: 'm', hint: 'h' }],
  notes: ['n'],
};
const all: RecordBody[] = [
  started,
  resumed,
  { type: 'run-resumed', holder, budget: { limit: { usd: 5 }, phases: [1] } },
  { type: 'worktree-adding', directory: 'd' },
  { type: 'worktree-ready', directory: 'd' },
  preflight,
  entered(1, { sentBackBy: 2 }),
  skipped(1, { sentBackBy: 2, loop: 'onFailed' }),
  { type: 'condition-held', phase: 2, reason: 'r' },
  intended(1),
  ended(1, 'failed', 1, { commits: [{ hash: 'h', subject: 's' }] }),
  waiting({ until: 'then' }),
  { type: 'worktree-removed', directory: 'd' },
  runEnded('completed'),
];

const check = (records: readonly unknown[]) => () => {
  const file = path.join(temporaryDirectory(), 'journal.jsonl');
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  readJournal(file);
};

describe('the records of a journal', () => {
  it('of every type are accepted as they are written', () => {
    expect(check(journalOf(...all))).not.toThrow();
  });

  it('may have fields that a later devflow adds', () => {
    expect(check(journalOf(...all).map((record) => ({ ...record, later: true })))).not.toThrow();
  });

  it.each([
    [
      'a type that nobody knows',
      { type: 'run-paused' },
      /line 2, has the unknown type "run-paused"/,
    ],
    ['no reason to skip', { ...skipped(1), reason: undefined }, /"reason"/],
    ['a way back that nobody knows', entered(1, { loop: 'onDone' as never }), /"loop"/],
    ['no reason to do it', { type: 'condition-held', phase: 1 }, /"reason"/],
    ['no holder', { type: 'run-started' }, /line 2, has no valid "holder"/],
    ['a phase that is no number', { ...entered(1), phase: '1' }, /line 2, has no valid "phase"/],
    ['a phase of 0', { ...entered(1), phase: 0 }, /line 2, has no valid "phase"/],
    ['no token', { ...intended(1), token: undefined }, /line 2, has no valid "token"/],
    [
      'a worktree without paths',
      { ...intended(1), worktree: { index: 'i' } },
      /line 2, has no valid "worktree\.paths"/,
    ],
    [
      'a commit without a hash',
      { ...ended(1, 'failed'), commits: [{ subject: 's' }] },
      /line 2, has no valid "commits\.0\.hash"/,
    ],
    [
      'a check that neither passed nor failed',
      { ...ended(1, 'failed'), checks: [{ name: 'n' }] },
      /"checks\.0\.passed"/,
    ],
    ['a protected that is no word', { ...ended(1, 'failed'), protected: true }, /"protected"/],
    ['a reason that is a text', { ...ended(1, 'failed'), reasons: ['why'] }, /"reasons\.0"/],
    [
      'a problem without a hint',
      { ...preflight, problems: [{ code: 'C', message: 'm' }] },
      /"problems\.0\.hint"/,
    ],
    ['no directory', { type: 'worktree-ready' }, /"directory"/],
    ['no reason to wait', { type: 'run-waiting', for: 'reset' }, /"reason"/],
    ['no instant', { ...entered(1), at: undefined }, /"at"/],
    ['an outcome that nobody knows', { ...ended(1, 'failed'), outcome: 'well' }, /"outcome"/],
    [
      'a budget of nothing',
      { ...resumed, budget: { limit: { usd: 0 }, phases: [1] } },
      /"budget\.limit\.usd"/,
    ],
    ['no end', { type: 'run-ended', reason: 'r' }, /"state"/],
  ])('with %s are corrupt, and the line and the field are named', (_, body, words) => {
    const records = journalOf(started, body as RecordBody);
    expect(check(records)).toThrow(
      expect.objectContaining({ code: 'JOURNAL_CORRUPT', message: expect.stringMatching(words) }),
    );
  });
});
