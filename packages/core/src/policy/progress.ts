import { saysNothing } from './retry.js';
import type { Attempt, RunState } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import type { Outcome } from '../state/records.js';
import type { Phase } from '../workflow/workflow.js';

/** Pure: does a run come on? */

/** So many same results one after another are no progress: twice it was tried again for nothing. */
const SAME_RESULTS = 3;
/** Outcomes whose cause is the work. Of the others it may be a server that is down, and time mends that: they have their retries. */
const OF_THE_WORK: ReadonlySet<Outcome> = new Set<Outcome>(['rejected', 'no-change']);

type Ended = NonNullable<Attempt['ended']>;

/** Has the phase come to the same result so often that going on would change nothing? Counted over all visits, since a person last resumed the run. */
export function standsStill(state: RunState, { id }: Phase): boolean {
  const since = allAttempts(state).slice(state.attemptsBeforeResume);
  const results = since
    .filter((tried) => tried.phase === id && !saysNothing(tried))
    .flatMap(({ ended }) => ended ?? []);
  return OF_THE_WORK.has(results.at(-1)?.outcome ?? 'stopped') && areSame(results);
}

/** The same for a way back that is taken after the retries: there the ends of visits count. */
export function goesInCircles({ visits, attemptsBeforeResume }: RunState, { id }: Phase): boolean {
  let attempts = 0;
  const ends = visits.flatMap((visit) => {
    attempts += visit.attempts.length;
    const ended = visit.attempts.at(-1)?.ended;
    return visit.phase === id && ended !== undefined && attempts > attemptsBeforeResume
      ? [ended]
      : [];
  });
  return areSame(ends);
}

function areSame(results: readonly Ended[]): boolean {
  const last = results.slice(-SAME_RESULTS).map(fingerprint);
  return last.length === SAME_RESULTS && last[0] !== undefined && new Set(last).size === 1;
}

/** Undefined where the tree is not known: unknown is not the same. */
function fingerprint({ outcome, tree, reasons, checks }: Ended): string | undefined {
  if (tree === undefined) return undefined;
  const against = reasons.filter(({ says }) => says !== 'yes').map(({ text }) => text);
  const failed = checks.filter(({ passed }) => !passed).map(({ name, ended }) => [name, ended]);
  return JSON.stringify([outcome, tree, against, failed]);
}
