import { type Breaker, breakerState, isPlausible } from './breaker.js';
import { DevflowError } from '../errors.js';
import type { Environment } from '../git/git.js';
import { limitKeys, readLimit, removeLimit, removeTornLimits } from '../state/limits-store.js';
import { defaultStateDir } from '../state/paths.js';

/** Where the limits of this user's accounts are kept. */
export interface LimitsPlace {
  /** The caller's environment, usually `process.env`. */
  readonly env: Environment;
  /** `XDG_STATE_HOME/devflow` where it is left out. */
  readonly stateDir?: string;
}

/** What is known of the limit of an account: all runs of this user on this machine go by it. */
export type KnownLimit = { readonly key: string } & (
  | (Omit<Breaker, 'v'> & {
      /** `open`: nobody asks it until then. `half-open`: it may be asked, and no turn has gone through so far. */
      readonly state: 'open' | 'half-open';
    })
  | {
      /** It is left out by all runs. */
      readonly state: 'unreadable';
      readonly why: string;
    }
);

/** The limits that are known, the one that ends first first. */
export function knownLimits(place: LimitsPlace): KnownLimit[] {
  const stateDir = place.stateDir ?? defaultStateDir(place.env);
  const end = (limit: KnownLimit) => ('until' in limit ? limit.until : '');
  return limitKeys(stateDir)
    .flatMap((key) => read(stateDir, key) ?? [])
    .toSorted((a, b) => end(a).localeCompare(end(b)));
}

/**
 * Forgets limits: the accounts may be asked again. A run that waits already goes on at its instant, or by `resume`.
 *
 * @param which a key, or the name of an adapter; all where it is left out
 * @returns what was forgotten
 * @throws DevflowError OPTION_INVALID where nothing is known by that name
 */
export function clearLimits(place: LimitsPlace, which?: string): KnownLimit[] {
  const stateDir = place.stateDir ?? defaultStateDir(place.env);
  const chosen = knownLimits(place).filter(
    (limit) =>
      which === undefined || limit.key === which || ('adapter' in limit && limit.adapter === which),
  );
  if (which !== undefined && chosen.length === 0) {
    throw new DevflowError('OPTION_INVALID', `no limit is known of "${which}"`, {
      hint: '`devflow limits` shows the keys and adapters of those that are known.',
    });
  }
  for (const { key } of chosen) removeLimit(stateDir, key);
  if (which === undefined) removeTornLimits(stateDir);
  return chosen;
}

/** Undefined where it went meanwhile. */
function read(stateDir: string, key: string): KnownLimit | undefined {
  const stored = readLimit(stateDir, key);
  if (stored === undefined) return undefined;
  if ('unreadable' in stored) return { key, state: 'unreadable', why: stored.unreadable };
  const now = Date.now();
  const { v: _, ...breaker } = stored.breaker;
  if (!isPlausible(stored.breaker, now))
    return { key, state: 'unreadable', why: `noted at ${breaker.openedAt}, which is to come` };
  return { key, ...breaker, state: breakerState(stored.breaker, now) };
}
