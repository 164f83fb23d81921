import { describe, expect, it } from 'vitest';
import type { Channel } from '../workflow/notify.js';
import { fold } from './fold.js';
import { channelsToTell } from './news.js';
import type { RecordBody } from './records.js';

const channel: Channel = {
  type: 'desktop',
  name: 'desktop',
  on: ['gate', 'waiting', 'failed', 'completed'],
  timeoutMs: 1,
};

/** The channels that are still to be told, after these records. */
function toTell(...bodies: readonly RecordBody[]): string[] {
  const records = bodies.map((body, index) => ({
    v: 1 as const,
    seq: index + 1,
    at: '2026-01-01T00:00:00Z',
    ...body,
  }));
  return channelsToTell([channel], fold(records).news).map(({ name }) => name);
}

const opened = (kind: 'before' | 'preflight' = 'before'): RecordBody => ({
  type: 'gate-opened',
  gate: 'g',
  kind,
  phase: 1,
  reason: 'r',
});
const decided: RecordBody = { type: 'gate-decided', gate: 'g', decision: 'approve', by: 'person' };
const waits: RecordBody = { type: 'run-waiting', for: 'reset', reason: 'r', until: '2026-01-01' };
const told = (about: number, problem?: string): RecordBody => ({
  type: 'notified',
  about,
  on: 'gate',
  channel: 'desktop',
  ...(problem !== undefined && { problem }),
});
const resumed = (by?: 'due'): RecordBody => ({
  type: 'run-resumed',
  holder: { pid: 1, startTime: '1', bootId: 'b', host: 'h', pidNamespace: 'n' },
  ...(by !== undefined && { by }),
});
const entered: RecordBody = { type: 'phase-entered', phase: 1, head: 'h', because: 'b' };
const ended = (state: 'completed' | 'failed' | 'stopped'): RecordBody => ({
  type: 'run-ended',
  state,
  reason: 'r',
});
const limited = (attempt: number, outcome: 'rate-limited' | 'rejected'): RecordBody[] => [
  {
    type: 'attempt-intended',
    phase: 1,
    attempt,
    directory: 'd',
    cwd: 'c',
    token: 't',
    hiding: '',
    agent: 'a',
  },
  {
    type: 'attempt-ended',
    phase: 1,
    attempt,
    outcome,
    reasons: [],
    commits: [],
    checks: [],
    durationMs: 1,
  },
];

describe('what persons are to be told', () => {
  it.each<[string, RecordBody[]]>([
    ['a gate that is open', [opened()]],
    ['a gate whose devflow died, resumed', [opened(), resumed()]],
    ['a wait', [waits]],
    ['a failure', [ended('failed')]],
    ['a completion', [ended('completed')]],
    ['a gate that was told, and another', [opened(), told(1), decided, opened()]],
    ['a gate, where word of the one before came late', [opened(), decided, opened(), told(1)]],
    ['a wait after work was done', [entered, waits, told(2), ...limited(1, 'rejected'), waits]],
    ['a wait that a person resumed', [waits, told(1), resumed(), waits]],
  ])('is %s', (_, records) => {
    expect(toTell(...records)).toEqual(['desktop']);
  });

  it.each<[string, RecordBody[]]>([
    ['a gate that was told', [opened(), told(1)]],
    ['what did not get through: it was tried', [opened(), told(1, 'HTTP 500')]],
    ['a gate that is decided', [opened(), decided]],
    ['a failed preflight that a person looks at again', [opened('preflight'), resumed()]],
    ['a wait that is over', [waits, { type: 'wait-over' }]],
    ['a wait whose instant had come', [waits, resumed('due')]],
    ['a run that a person stopped', [ended('stopped')]],
    ['a run that failed and was resumed', [ended('failed'), resumed()]],
    [
      'a wait that follows another one',
      [entered, waits, told(2), resumed('due'), ...limited(1, 'rate-limited'), waits],
    ],
  ])('is not %s', (_, records) => {
    expect(toTell(...records)).toEqual([]);
  });

  it('keeps what did not get through', () => {
    const records = [opened(), told(1, 'HTTP 500')].map((body, index) => ({
      v: 1 as const,
      seq: index + 1,
      at: 'now',
      ...body,
    }));
    expect(fold(records).undelivered).toEqual([
      { about: 1, on: 'gate', channel: 'desktop', problem: 'HTTP 500', at: 'now' },
    ]);
  });
});
