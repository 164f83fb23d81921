import type { Ask } from './gate/at-gate.js';
import type { Agents } from './agents.js';
import type { OnRunEvent, RunEventBody } from './events.js';
import type { Environment } from './git/git.js';
import type { GitFacts } from './git/measure.js';
import type { Repository, RepositoryConfig } from './git/repository.js';
import type { Hooks } from './hooks.js';
import type { Notifier } from './notify/notifier.js';
import type { SandboxProvider } from './sandbox/index.js';
import type { Journal } from './state/journal.js';
import { type RunState, fold } from './state/fold.js';
import type { RunPaths } from './state/paths.js';
import type { JournalRecord, RecordBody } from './state/records.js';
import type { RunDefinition } from './state/definition.js';

/** All that the steps of a run share. */
export interface RunContext {
  readonly definition: RunDefinition;
  readonly repository: Repository;
  readonly paths: RunPaths;
  readonly agents: Agents;
  readonly hooks: Hooks;
  readonly sandbox: SandboxProvider;
  /** The caller's environment. */
  readonly env: Environment;
  /** Set off when the run is to stop. */
  readonly stop: AbortSignal;
  readonly log: RunLog;
  readonly emit: (event: RunEventBody) => void;
  /** What git's configuration said when the run was planned; undefined when it is resumed. */
  readonly config: RepositoryConfig | undefined;
  /** What git said of the run's worktree last; undefined once anything has run there since. */
  readonly measured: { facts: GitFacts | undefined };
  /** Agents whose login was looked at, by `loginKey`: once a run, and again after `auth`. */
  readonly loginChecked: Set<string>;
  /** Stay where the run waits, and go on then: see `CodeOptions`. */
  readonly wait: boolean | 'unless-preflight';
  /** Asks a person here; undefined where nobody is to be asked. */
  readonly ask: Ask | undefined;
  /** Tells persons who do not look. */
  readonly notifier: Notifier;
}

/** The journal and what it says so far: facts go in, decisions are made from the state. */
export interface RunLog {
  readonly state: RunState;
  append(body: RecordBody): void;
  /** @throws DevflowError STATE_GONE where the journal was removed */
  assertInPlace(): void;
}

export function openRunLog(journal: Journal, records: readonly JournalRecord[]): RunLog {
  let state = fold(records);
  return {
    get state() {
      return state;
    },
    assertInPlace: () => journal.assertInPlace(),
    append(body) {
      state = fold([journal.append(body)], state);
    },
  };
}

export interface Emitter {
  readonly emit: (event: RunEventBody) => void;
  /** Throws what the listener threw first, where it threw. */
  readonly reportListener: () => void;
}

/**
 * Tells the caller's listener. What that throws decides nothing about the run: it is kept until the run is over.
 *
 * @param keepEvent is told first, and throws nothing
 */
export function emitter(
  runId: string,
  onEvent: OnRunEvent | undefined,
  keepEvent: OnRunEvent,
): Emitter {
  let first: { readonly error: unknown } | undefined;
  const keep = (error: unknown) => {
    first ??= { error };
  };
  return {
    emit(body) {
      const event = { v: 1, at: new Date().toISOString(), run: runId, ...body } as const;
      keepEvent(event);
      try {
        const told: unknown = onEvent?.(event);
        if (told instanceof Promise) told.catch(keep); // else an async listener would end the whole process
      } catch (error) {
        keep(error);
      }
    },
    reportListener() {
      if (first !== undefined) throw first.error;
    },
  };
}
