import type { AgentAdapter } from './adapter/index.js';
import type { Ask } from './gate/at-gate.js';
import type { Agents } from './agents.js';
import { type RunContext, emitter, openRunLog } from './context.js';
import type { OnRunEvent } from './events.js';
import type { Environment } from './git/git.js';
import type { Repository, RepositoryConfig } from './git/repository.js';
import type { Hooks } from './hooks.js';
import { notifier } from './notify/notifier.js';
import { effect } from './process/effect.js';
import { HELPER_VARIABLE } from './process/helpers.js';
import { sandboxProvider } from './sandbox/index.js';
import type { RunDefinition } from './state/definition.js';
import { watchForStop } from './state/inbox.js';
import { type JournalContents, openJournal } from './state/journal.js';
import type { Lock } from './state/lock.js';
import { openRunEvents } from './state/run-events.js';
import type { RunPaths } from './state/paths.js';
import { LOOPS } from './workflow/loop.js';

/** What a run and its later steps need of the caller. */
export interface CommonOptions {
  /** A directory in the repository. */
  readonly cwd: string;
  /** The caller's environment, usually `process.env`: PATH and HOME are needed; agents get an allow-listed part. */
  readonly env: Environment;
}

/** What is code and so cannot be kept in a run. */
export interface CodeOptions {
  readonly adapters: readonly AgentAdapter[];
  readonly hooks?: Hooks;
  /** Stops the run: the agent's processes are ended, what it did stays. Where the run waits, it goes on waiting. */
  readonly signal?: AbortSignal;
  readonly onEvent?: OnRunEvent;
  /** Stay where the run waits, for an instant or a person, and go on then. `unless-preflight`: not where a preflight found what a person must mend. */
  readonly wait?: boolean | 'unless-preflight';
  /** Asks a person here at a gate. */
  readonly ask?: Ask;
}

/** A run that is planned: all that can be said of it without changing anything. */
export interface PlannedRun {
  readonly definition: RunDefinition;
  readonly repository: Repository;
  readonly agents: Agents;
  readonly paths: RunPaths;
  /** Undefined for a run that is resumed: what was found then may have changed. */
  readonly config: RepositoryConfig | undefined;
}

export interface HeldRun {
  readonly context: RunContext;
  /** Throws what the caller's listener threw first, where it threw. */
  reportListener(): void;
  release(): void;
}

/** Everything that a holder has open, with one way to let go of it. */
export function holdRun(
  { definition, repository, agents, paths, config }: PlannedRun,
  { hooks = {}, env, signal, onEvent, wait = false, ask }: CodeOptions & CommonOptions,
  lock: Lock,
  contents: JournalContents,
): HeldRun {
  const sandbox = sandboxProvider(definition.workflow.sandbox); // what may throw comes before what is to be closed
  const journal = openJournal(paths.journal, contents, () => lock.assertHeld());
  const events = effect('run.events', () =>
    openRunEvents(paths.events, (why) =>
      emit({ type: 'note', text: `what happens is not kept for \`devflow attach\`: ${why}` }),
    ),
  );
  const { emit, reportListener } = emitter(definition.id, onEvent, events.write);
  const stop = watchForStop(paths.inbox, signal);
  const told = {
    definition,
    repository,
    agents,
    env: { ...env, [HELPER_VARIABLE]: paths.directory },
    stop: stop.signal,
    log: openRunLog(journal, contents.records),
    emit,
  };
  return {
    context: {
      ...told,
      paths,
      hooks,
      sandbox,
      notifier: notifier(told),
      config,
      measured: { facts: undefined },
      loginChecked: new Set(),
      wait,
      ask,
    },
    reportListener,
    release() {
      stop.close();
      journal.close();
      events.close();
      lock.release();
    },
  };
}

export function announce(
  { definition, sandbox, paths, emit }: RunContext,
  type: 'run-started' | 'run-resumed',
): void {
  const { task, workflow, branch, base, range } = definition;
  // A phase that a loop leads back to may come before the first that was asked for.
  const targets = workflow.phases.filter(
    ({ id, name }) =>
      id < range.first &&
      workflow.phases.some((phase) => LOOPS.some((loop) => phase[loop]?.goto === name)),
  );
  const first = Math.min(range.first, ...targets.map(({ id }) => id));
  const phases = workflow.phases.filter(({ id }) => id >= first && id <= range.last);
  emit({
    type,
    task,
    workflow: workflow.name,
    branch,
    base: { commit: base.commit, ...(base.branch !== undefined && { branch: base.branch }) },
    phases: phases.map((phase) => {
      const [agent = '', ...fallbacks] = phase.agents;
      const { id, name } = phase;
      return { id, name, agent, ...(fallbacks.length > 0 && { fallbacks }) };
    }),
    sandbox: sandbox.name,
    directory: paths.directory,
  });
}
