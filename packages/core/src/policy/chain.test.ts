import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  intended,
  journalOf,
  phaseOf,
  resumed,
  started,
  waiting,
  workflowOf,
} from '../../test/journal-of.js';
import { obstacleFound } from './chain.js';
import { decide } from './policy.js';
import { fold } from '../state/fold.js';
import type { Outcome, RecordBody } from '../state/records.js';

const plan = phaseOf(1, 'plan', { agents: ['first', 'second'], retries: 0 });
const code = phaseOf(2, 'code', { agents: ['first', 'second'], retries: 1 });
const workflow = workflowOf([plan, code]);
const NOW = Date.UTC(2030, 0, 1, 12);
const before = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

const at = (now: number, ...bodies: RecordBody[]) =>
  decide(workflow, { first: 1, last: 2 }, fold(journalOf(started, ...bodies)), now);
const after = (...bodies: RecordBody[]) => at(NOW, ...bodies);
const tried = (
  phase: number,
  attempt: number,
  agent: string,
  outcome: Outcome,
  resetsAt?: string,
) => [
  intended(phase, attempt, { agent }),
  ended(phase, outcome, attempt, resetsAt === undefined ? {} : { resetsAt }),
];

describe('a chain of agents', () => {
  it('begins with the first, and with the next where that cannot begin', () => {
    expect(after()).toMatchObject({ do: 'enter', candidates: ['first', 'second'] });
  });

  it.each(['rate-limited', 'auth', 'not-started'] as const)('moves on after %s', (outcome) => {
    const step = after(entered(1), ...tried(1, 1, 'first', outcome));
    expect(step).toMatchObject({ do: 'attempt', number: 2, candidates: ['second'] });
  });

  it.each(['rejected', 'failed', 'no-change', 'incomplete', 'crashed'] as const)(
    'never moves on after %s: that is a word on the work',
    (outcome) => {
      expect(after(entered(1), ...tried(1, 1, 'first', outcome))).toMatchObject({ do: 'end' });
      expect(after(entered(2), ...tried(2, 1, 'first', outcome))).toMatchObject({
        do: 'attempt',
        candidates: ['first', 'second'],
      });
    },
  );

  it('costs no retry', () => {
    const moved = [entered(2), ...tried(2, 1, 'first', 'rate-limited')];
    expect(after(...moved, ...tried(2, 2, 'second', 'failed'))).toMatchObject({
      do: 'attempt',
      candidates: ['second'],
    });
    const twice = [...tried(2, 2, 'second', 'failed'), ...tried(2, 3, 'second', 'failed')];
    expect(after(...moved, ...twice)).toMatchObject({ do: 'end', state: 'failed' });
  });

  it('remembers in later phases who has reached a limit, until that is over', () => {
    const done = (resetsAt?: string) => [
      entered(1),
      ...tried(1, 1, 'first', 'rate-limited', resetsAt),
      ...tried(1, 2, 'second', 'completed'),
    ];
    // Where no reset is known, for a minute: the first limit was met in the third second.
    const second = (seconds: number) => Date.UTC(2030, 0, 1) + seconds * 1_000;
    expect(at(second(62), ...done())).toMatchObject({ do: 'enter', candidates: ['second'] });
    expect(at(second(62.001), ...done())).toMatchObject({ candidates: ['first', 'second'] });
    expect(after(...done(before(-1)))).toMatchObject({ candidates: ['second'] });
    expect(after(...done(before(1)))).toMatchObject({ candidates: ['first', 'second'] });
  });

  it('does not pass a phase to and fro where limits end at once', () => {
    const both = [
      ...tried(1, 1, 'first', 'rate-limited', before(1)),
      ...tried(1, 2, 'second', 'rate-limited', before(2)),
    ];
    expect(after(entered(1), ...both)).toMatchObject({ do: 'wait', until: before(2) });
  });

  it('waits for the first reset where all have reached a limit, whoever was asked last', () => {
    const limits = [
      ...tried(1, 1, 'first', 'rate-limited', before(-60)),
      ...tried(1, 2, 'second', 'not-started'),
    ];
    expect(after(entered(1), ...limits)).toMatchObject({
      do: 'wait',
      for: 'reset',
      until: before(-60),
    });
  });

  it('waits for a login where nobody has a limit, and fails where nobody could be started', () => {
    const login = [...tried(1, 1, 'first', 'auth'), ...tried(1, 2, 'second', 'not-started')];
    expect(after(entered(1), ...login)).toMatchObject({ do: 'wait', for: 'login' });
    const none = [...tried(1, 1, 'first', 'not-started'), ...tried(1, 2, 'second', 'not-started')];
    expect(after(entered(1), ...none)).toMatchObject({ do: 'end', state: 'failed' });
  });

  it('is asked from its beginning once a person has resumed the run', () => {
    const both = [...tried(1, 1, 'first', 'auth'), ...tried(1, 2, 'second', 'auth')];
    expect(after(entered(1), ...both, waiting({ for: 'login' }), resumed)).toMatchObject({
      do: 'attempt',
      number: 3,
      candidates: ['first', 'second'],
    });
  });

  it('does not enter a phase for which nobody can be asked', () => {
    const other = workflowOf([
      phaseOf(1, 'plan', { agents: ['first', 'second'] }),
      phaseOf(2, 'code', { agents: ['first'] }),
    ]);
    const bodies = [
      entered(1),
      ...tried(1, 1, 'first', 'rate-limited', before(-5)),
      ...tried(1, 2, 'second', 'completed'),
    ];
    const state = fold(journalOf(started, ...bodies));
    expect(decide(other, { first: 1, last: 2 }, state, NOW)).toEqual({
      do: 'wait',
      for: 'reset',
      until: before(-5),
      reason: 'phase 2 code: no agent of it can be asked now',
    });
  });

  it('of one agent is asked again only when a person says so', () => {
    const lone = workflowOf([phaseOf(1, 'plan', { agents: ['agent'], retries: 5 })]);
    const limited = fold(journalOf(started, entered(1), ...attempted(1, 'rate-limited')));
    expect(decide(lone, { first: 1, last: 1 }, limited, NOW)).toMatchObject({ do: 'wait' });
  });
});

describe('after a wait', () => {
  const over: RecordBody = { type: 'wait-over' };
  const due = { ...resumed, by: 'due' } as RecordBody;
  const lone = workflowOf([phaseOf(1, 'plan', { agents: ['agent'], retries: 0 })]);
  const limited = (attempt: number, resetsAt?: string) =>
    tried(1, attempt, 'agent', 'rate-limited', resetsAt);
  const step = (now: number, ...bodies: RecordBody[]) =>
    decide(lone, { first: 1, last: 1 }, fold(journalOf(started, entered(1), ...bodies)), now);

  it.each([
    ['its holder has stayed', over],
    ['nobody stayed and it was due', due],
  ])('the agent is asked again where %s', (_, goesOn) => {
    const waited = [...limited(1, before(1)), waiting({ until: before(1) })];
    expect(step(NOW, ...waited)).toMatchObject({ do: 'wait' });
    expect(step(NOW, ...waited, goesOn)).toMatchObject({ do: 'attempt', number: 2 });
  });

  it('the agent is asked once: where the limit still holds, the run waits anew, for longer where no reset is known', () => {
    const waits = (...bodies: RecordBody[]) => {
      const { at: last } = journalOf(started, entered(1), ...bodies).at(-2) ?? { at: '' };
      const found = step(NOW, ...bodies);
      const until = found.do === 'wait' ? found.until : undefined;
      return (Date.parse(until ?? '') - Date.parse(last) - 1) / 60_000; // it took 1 ms
    };
    const once = limited(1);
    expect(waits(...once)).toBe(1);
    const twice = [...once, waiting(), over, ...limited(2)];
    expect(waits(...twice)).toBe(2);
    expect(waits(...twice, waiting(), due, ...limited(3))).toBe(4);
    // A reset that has passed when it is said is none.
    expect(waits(...twice, waiting(), over, ...limited(3, '2029-12-31T00:00:00Z'))).toBe(4);
  });

  it('retries are not renewed, and who is not logged in is not asked', () => {
    const bad = [...tried(1, 1, 'agent', 'failed'), waiting({ until: before(1) })];
    expect(step(NOW, ...bad, due)).toMatchObject({ do: 'end', state: 'failed' });
    expect(step(NOW, ...tried(1, 1, 'agent', 'auth'), waiting(), over)).toMatchObject({
      do: 'wait',
      for: 'login',
    });
  });

  it('a person is asked once no reset was known for a day, and resets it', () => {
    const day = journalOf(started, entered(1), ...limited(1), over, ...limited(2), over);
    const late = journalOf(...limited(3)).map((record) => ({
      ...record,
      at: new Date(Date.UTC(2030, 0, 2)).toISOString(),
    }));
    const state = fold([...day, ...late]);
    const found = decide(lone, { first: 1, last: 1 }, state, Date.UTC(2030, 0, 9));
    expect(found).toMatchObject({ do: 'wait', for: 'reset' });
    expect(found).not.toHaveProperty('until');
    expect(found).toMatchObject({ reason: expect.stringContaining('a person must say so') });
    const again = fold(journalOf(waiting(), resumed), state);
    expect(decide(lone, { first: 1, last: 1 }, again, NOW)).toMatchObject({ do: 'attempt' });
  });
});

describe('where the agents that are willing cannot begin', () => {
  const told = (limitedUntil?: string): RecordBody => ({
    type: 'preflight',
    phase: 1,
    problems: [],
    notes: [],
    ...(limitedUntil !== undefined && { limitedUntil }),
  });
  const found = (candidates: readonly string[], ...bodies: RecordBody[]) =>
    obstacleFound(plan, candidates, fold(journalOf(started, ...bodies)));

  it('the run waits for the limit that ends first, of its own and of those that other runs learned', () => {
    expect(found(['first', 'second'], told(before(-9)))).toEqual({
      for: 'reset',
      until: before(-9),
    });
    const own = tried(1, 1, 'first', 'rate-limited', before(-5));
    expect(found(['second'], entered(1), ...own, told(before(-9)))?.until).toBe(before(-5));
    expect(found(['second'], entered(1), ...own, told(before(-4)))?.until).toBe(before(-4));
    expect(found(['second'], entered(1), ...own, told())?.until).toBe(before(-5));
  });

  it('a person is waited for where no limit has an end, or only agents that are willing have had one', () => {
    expect(found(['first', 'second'], told())).toBeUndefined();
    expect(found(['second'], entered(1), ...tried(1, 1, 'first', 'auth'), told())).toBeUndefined();
    const over = tried(1, 1, 'first', 'rate-limited', before(5));
    expect(found(['first', 'second'], entered(1), ...over, told())).toBeUndefined();
  });
});
