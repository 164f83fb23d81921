import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Sight, attemptLimits } from './limits.js';
import { type Activity, NO_ACTIVITY } from '../process/activity.js';

const IDLE_S = 600;
const busy: Activity = { busy: true, youngestMs: 3_600_000 };
const aged = (seconds: number): Activity => ({ busy: false, youngestMs: seconds * 1_000 });

/** Limits under a clock of the test's. */
function watched() {
  let time = 0;
  const limits = attemptLimits(
    { idleTimeoutMs: IDLE_S * 1_000, maxOutputBytes: 1_000 },
    () => time,
  );
  return (seconds: number, sight: Partial<Sight> = {}) => {
    time = seconds * 1_000;
    const nothing = {
      size: 0,
      isBehind: false,
      openCalls: 0,
      waitsForLimit: false,
      isFinished: false,
    };
    return limits.reached({ ...nothing, activity: NO_ACTIVITY, ...sight });
  };
}

describe('an attempt', () => {
  it('is idle once it has printed nothing for too long, and anew after each print', () => {
    const at = watched();
    expect(at(0)).toBeUndefined();
    expect(at(590, { size: 1 })).toBeUndefined();
    expect(at(1_180, { size: 1 })).toBeUndefined();
    expect(at(1_200, { size: 1 })).toBe('idle');
  });

  const evidence: [what: string, sight: Partial<Sight>][] = [
    ['a tool call is open', { openCalls: 1 }],
    ['a child uses the processor', { activity: busy }],
    ['a child is young', { activity: aged(IDLE_S - 1) }],
  ];

  it.each(evidence)('is not idle while %s: that time does not count', (_, sight) => {
    const at = watched();
    expect(at(0)).toBeUndefined();
    expect(at(300)).toBeUndefined();
    expect(at(2_000, sight)).toBeUndefined();
    expect(at(2_299)).toBeUndefined();
    expect(at(2_301)).toBe('idle');
  });

  it.each(evidence)('is idle after four times as long although %s', (_, sight) => {
    const at = watched();
    expect(at(0, sight)).toBeUndefined();
    expect(at(4 * IDLE_S, sight)).toBeUndefined();
    expect(at(4 * IDLE_S + 1, sight)).toBe('idle');
  });

  it('is idle where its children are old and only wait', () => {
    const at = watched();
    expect(at(0)).toBeUndefined();
    expect(at(601, { activity: aged(IDLE_S) })).toBe('idle');
  });

  it('prints too much at its limit', () => {
    const at = watched();
    expect(at(0, { size: 1_000 })).toBeUndefined();
    expect(at(1, { size: 1_001 })).toBe('output');
  });

  it('is not left to wait for a limit by itself, whatever it prints meanwhile', () => {
    const at = watched();
    expect(at(10, { waitsForLimit: true, size: 1 })).toBeUndefined();
    expect(at(39, { waitsForLimit: true, size: 2 })).toBeUndefined();
    expect(at(41, { waitsForLimit: true, size: 3 })).toBe('limit');
  });

  it('may wait again where the model has answered in between', () => {
    const at = watched();
    expect(at(0, { waitsForLimit: true })).toBeUndefined();
    expect(at(20)).toBeUndefined();
    expect(at(45, { waitsForLimit: true })).toBeUndefined();
    expect(at(76, { waitsForLimit: true })).toBe('limit');
  });
});

describe('an agent whose turn is over', () => {
  const over = { isFinished: true };

  it('is ended once it has been quiet for ten seconds, counted anew after each print', () => {
    const at = watched();
    expect(at(0, over)).toBeUndefined();
    expect(at(9, { ...over, size: 1 })).toBeUndefined();
    expect(at(19, { ...over, size: 1 })).toBeUndefined();
    expect(at(20, { ...over, size: 1 })).toBe('finished');
  });

  it('is left alone where it has begun another', () => {
    const at = watched();
    expect(at(0, over)).toBeUndefined();
    expect(at(9, { ...over, size: 1 })).toBeUndefined();
    expect(at(30, { size: 2 })).toBeUndefined();
    expect(at(590, { size: 2 })).toBeUndefined();
  });

  it.each<[string, Activity]>([
    ['uses the processor', busy],
    ['came just now', aged(9)],
  ])('is waited for while a child %s, and for the grace period after it', (_, activity) => {
    const at = watched();
    expect(at(0, over)).toBeUndefined();
    expect(at(500, { ...over, activity })).toBeUndefined();
    expect(at(510, { ...over, activity: aged(60) })).toBeUndefined();
    expect(at(511, { ...over, activity: aged(60) })).toBe('finished');
  });

  it('is not waited for longer than it may be silent', () => {
    const at = watched();
    expect(at(0, over)).toBeUndefined();
    expect(at(600, { ...over, activity: busy })).toBeUndefined();
    expect(at(601, { ...over, activity: busy })).toBe('finished');
  });

  it('is not known to be so before all that it printed was read', () => {
    const at = watched();
    expect(at(0, over)).toBeUndefined();
    expect(at(700, { ...over, isBehind: true })).toBeUndefined();
    expect(at(709, over)).toBeUndefined();
    expect(at(711, over)).toBe('finished');
  });

  it('is not ended as such while a tool call is open', () => {
    const at = watched();
    const open = { ...over, openCalls: 1 };
    expect(at(0, open)).toBeUndefined();
    expect(at(2_400, open)).toBeUndefined();
    expect(at(2_401, open)).toBe('idle');
  });
});

describe('an attempt of which anything is seen, in any order,', () => {
  const rarely = fc.nat(20).map((drawn) => drawn === 7);
  const sights = fc.array(
    fc.record({
      step: fc.nat(400),
      printed: rarely,
      openCalls: rarely.map((open) => (open ? 1 : 0)),
      isFinished: rarely,
      // Mostly at work: else hardly any is silent for so long that the bound ends it.
      activity: fc.oneof(
        { weight: 5, arbitrary: fc.constant(busy) },
        {
          weight: 4,
          arbitrary: fc.constantFrom(NO_ACTIVITY, aged(5), aged(IDLE_S - 1), aged(IDLE_S)),
        },
      ),
    }),
    { minLength: 1, maxLength: 60 },
  );

  type Seen = typeof sights extends fc.Arbitrary<infer T> ? T : never;
  interface Look extends Omit<Seen[number], 'step'> {
    readonly limit: string | undefined;
    /** Seconds since it printed last. */
    readonly silent: number;
  }

  /** What is seen until a limit is reached, as in a run. */
  function looks(seen: Seen): Look[] {
    const at = watched();
    at(0);
    const done: Look[] = [];
    let [time, size, silent] = [0, 0, 0];
    for (const { step, ...sight } of seen) {
      time += step;
      size += sight.printed ? 1 : 0;
      silent = sight.printed ? 0 : silent + step;
      const limit = at(time, { size, ...sight });
      done.push({ ...sight, limit, silent });
      if (limit !== undefined) break;
    }
    return done;
  }
  const isAtWork = ({ openCalls, activity }: Look) =>
    openCalls > 0 || activity.busy || activity.youngestMs < IDLE_S * 1_000;
  const holds = (property: (look: Look) => boolean) =>
    fc.assert(
      fc.property(sights, (seen) => looks(seen).every(property)),
      { numRuns: 1_000 },
    );

  it('is never idle with anything at work within the bound', () => {
    const seen = { atWork: 0, dead: 0 };
    holds((look) => {
      if (look.limit !== 'idle') return true;
      seen[isAtWork(look) ? 'atWork' : 'dead'] += 1;
      return look.silent > (isAtWork(look) ? 4 * IDLE_S : IDLE_S);
    });
    expect(Math.min(seen.atWork, seen.dead)).toBeGreaterThan(0);
  });

  it('is ended beyond the bound, whatever is at work', () => {
    holds(({ limit, silent }) => silent <= 4 * IDLE_S || limit !== undefined);
  });

  it('is ended as finished only where it says so, with no open call and nothing just printed', () => {
    let ended = 0;
    holds(({ limit, isFinished, openCalls, printed, silent }) => {
      if (limit !== 'finished') return true;
      ended += 1;
      return isFinished && openCalls === 0 && !printed && silent > 10;
    });
    expect(ended).toBeGreaterThan(0);
  });

  it('is idle within the bound where nothing was ever at work', () => {
    const dead = (sight: Seen[number]) => ({
      ...sight,
      openCalls: 0 as 0 | 1,
      isFinished: false,
      activity: NO_ACTIVITY,
    });
    const property = fc.property(sights, (seen) =>
      looks(seen.map(dead)).every(({ limit, silent }) => (limit === 'idle') === silent > IDLE_S),
    );
    fc.assert(property);
  });
});
