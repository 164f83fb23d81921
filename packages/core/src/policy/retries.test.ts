import { describe, expect, it } from 'vitest';
import {
  attempted,
  entered,
  journalOf,
  phaseOf,
  resumed,
  runEnded,
  started,
  workflowOf,
} from '../../test/journal-of.js';
import { CONSEQUENCES } from './consequence.js';
import { decide } from './policy.js';
import { fold } from '../state/fold.js';
import { type Outcome, type RecordBody, OUTCOMES } from '../state/records.js';
import { RETRIED } from '../workflow/retries.js';
import type { Phase } from '../workflow/workflow.js';

/** All attempts at one phase, each a second after the one before; decided so many milliseconds after the last. */
function after(
  outcomes: readonly Outcome[],
  settings: Partial<Phase>,
  ms = Number.MAX_SAFE_INTEGER,
  more: readonly RecordBody[] = [],
) {
  const tried = outcomes.flatMap((outcome, index) => attempted(1, outcome, index + 1));
  const records = journalOf(started, entered(1), ...tried, ...more);
  const last = Date.parse(records.at(-1)?.at ?? '');
  const flow = workflowOf([phaseOf(1, 'plan', settings)]);
  return decide(flow, { first: 1, last: 1 }, fold(records), last + ms);
}
const again = (outcomes: readonly Outcome[], retries: Phase['retries']) =>
  after(outcomes, { retries }).do === 'attempt';

describe('retries', () => {
  it('can be said of those outcomes that are tried again', () => {
    const tried = OUTCOMES.filter((outcome) => /retry|go-back/.test(CONSEQUENCES[outcome]));
    expect([...RETRIED].toSorted()).toEqual(tried.toSorted());
  });

  it('in one number count every outcome', () => {
    expect(again(['failed', 'idle'], 2)).toBe(true);
    expect(again(['failed', 'idle', 'crashed'], 2)).toBe(false);
  });

  it('by outcome count each by itself, and others once', () => {
    const retries = { failed: 2, idle: 0 };
    expect(again(['failed', 'crashed', 'failed'], retries)).toBe(true);
    expect(again(['failed', 'crashed', 'failed', 'failed'], retries)).toBe(false);
    expect(again(['idle'], retries)).toBe(false);
    expect(again(['crashed'], retries)).toBe(true);
    expect(again(['crashed', 'failed', 'crashed'], retries)).toBe(false);
    expect(after(['idle'], { retries })).toMatchObject({
      do: 'end',
      reason: 'phase 1 plan idle, no retries left: it idle',
    });
  });

  it('are counted anew once a person has resumed the run', () => {
    const more = [runEnded('failed'), resumed, ...attempted(1, 'failed', 3)];
    const retries = { failed: 1 };
    expect(after(['failed', 'failed'], { retries }, 1e9, more).do).toBe('attempt');
    const once = [...more, ...attempted(1, 'failed', 4)];
    expect(after(['failed', 'failed'], { retries }, 1e9, once).do).toBe('end');
  });
});

describe('the time before a further attempt', () => {
  const settings = { retries: 99, retryDelayMs: 2_000 };
  const left = (outcomes: readonly Outcome[], ms: number, more?: readonly RecordBody[]) => {
    const step = after(outcomes, settings, ms, more);
    return step.do === 'pause' ? step.ms : 0;
  };

  it('is what is left since the last one ended', () => {
    expect(left(['failed'], 0)).toBe(2_000);
    expect(left(['failed'], 1_500)).toBe(500);
    expect(after(['failed'], settings, 2_000)).toMatchObject({ do: 'attempt', number: 2 });
  });

  it('is doubled for each with the same outcome in a row, up to 5 minutes', () => {
    const failed = (count: number) => Array.from({ length: count }, () => 'failed' as const);
    expect([1, 2, 3, 8, 9].map((count) => left(failed(count), 0))).toEqual([
      2_000, 4_000, 8_000, 256_000, 300_000,
    ]);
    expect(left(['failed', 'failed', 'crashed'], 0)).toBe(2_000);
  });

  it('is none where the cause is the work, or where a person resumes', () => {
    expect(left(['rejected'], 0)).toBe(0);
    expect(left(['no-change'], 0)).toBe(0);
    expect(left(['failed'], 0, [runEnded('failed'), resumed])).toBe(0);
    expect(left(['rate-limited'], 0)).toBe(0);
  });

  it('is never longer than the delay itself where the clock was set back', () => {
    expect(left(['failed'], -1e9)).toBe(2_000);
  });
});
