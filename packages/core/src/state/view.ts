import type { RunDefinition } from './definition.js';
import type { RunState, Waiting } from './fold.js';
import { openAttempt } from './selectors.js';
import { type Gate, openGate } from './gates.js';
import { channelsToTell } from './news.js';
import type { HolderState } from './lock.js';

/** `unreadable`: its state is damaged. `interrupted`: it should be running, but its holder is dead. `due`: it waits for an instant that has passed, and nobody runs it. */
export type ViewState =
  'running' | 'waiting' | 'completed' | 'failed' | 'stopped' | 'interrupted' | 'due' | 'unreadable';

/** What a run is now, to people and programs. */
export interface RunView {
  readonly id: string;
  readonly state: ViewState;
  /** Does an agent work at it that no devflow watches? */
  readonly agentLives: boolean;
  /** Why it is that, in words. */
  readonly reason: string;
  readonly task: string;
  readonly branch: string;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  /** The phase it is in, or was in last. */
  readonly phase: { readonly id: number; readonly name: string } | undefined;
  readonly attempt: number | undefined;
  /** What was skipped, in the order in which the run came to it. */
  readonly skipped: readonly SkippedPhase[];
  readonly until?: string;
  /** The question that waits for an answer. */
  readonly gate?: Gate;
  /** Somebody was to be told of this, and nobody was yet: `devflow resume --due` does it. */
  readonly untold?: true;
  /** The process that holds it: alive, or where nobody here can tell. */
  readonly heldBy?: number;
}

/** A phase whose `when` said no. */
export interface SkippedPhase {
  readonly phase: number;
  readonly name: string;
  readonly reason: string;
}

/** Who holds a run's lock, as far as it can be told. */
export interface SeenHolder {
  readonly pid: number;
  readonly host: string;
  readonly state: HolderState;
}

/** Pure: what the journal says, whether its holder lives, what time it is. */
export function view(
  definition: RunDefinition,
  state: RunState,
  holder: SeenHolder | undefined,
  now: Date,
  agentLives = false,
): RunView {
  const visit = state.visits.at(-1);
  const gate = openGate(state.gates);
  const phase = definition.workflow.phases.find(({ id }) => id === visit?.phase);
  const { state: name, reason } = viewState(definition.id, state, holder, now, agentLives);
  return {
    id: definition.id,
    state: name,
    agentLives: agentLives && (name === 'interrupted' || name === 'running'),
    reason,
    task: definition.task,
    branch: definition.branch,
    startedAt: state.startedAt,
    endedAt: state.ended?.at,
    phase: phase === undefined ? undefined : { id: phase.id, name: phase.name },
    attempt: visit?.attempts.at(-1)?.attempt,
    skipped: skippedPhases(definition, state),
    ...(state.waiting?.until !== undefined && { until: state.waiting.until }),
    ...(gate !== undefined && state.ended === undefined && { gate }),
    ...(channelsToTell(definition.workflow.notify, state.news).length > 0 && { untold: true }),
    ...(isHeld(holder) && { heldBy: holder.pid }),
  };
}

export function skippedPhases(
  { workflow }: Pick<RunDefinition, 'workflow'>,
  { visits }: RunState,
): SkippedPhase[] {
  return visits.flatMap(({ phase, skipped: reason }) => {
    const name = workflow.phases.find(({ id }) => id === phase)?.name ?? '';
    return reason === undefined ? [] : [{ phase, name, reason }];
  });
}

/** Has come what a run waits for: the instant, or a person's answer? */
export function isDue(
  { until, answered }: Pick<Waiting, 'until' | 'answered'>,
  now: number,
): boolean {
  return answered === true || (until !== undefined && Date.parse(until) <= now);
}

/** What can be shown of a run whose state cannot be read. */
export function unreadable(id: string, reason: string): RunView {
  return {
    id,
    state: 'unreadable',
    agentLives: false,
    reason,
    task: '',
    branch: '',
    startedAt: undefined,
    endedAt: undefined,
    phase: undefined,
    attempt: undefined,
    skipped: [],
  };
}

const OVER = 'that has ended, and nobody runs it: `devflow resume --due` goes on';
const ANSWERED = 'nobody runs it: `devflow resume --due` goes on';
const UNATTENDED = 'nobody waits for it: `devflow resume --due` goes on after that';

function isHeld(holder: SeenHolder | undefined): holder is SeenHolder {
  return holder !== undefined && holder.state !== 'dead';
}

function viewState(
  id: string,
  state: RunState,
  holder: SeenHolder | undefined,
  now: Date,
  agentLives: boolean,
): { state: ViewState; reason: string } {
  const { ended, waiting } = state;
  if (ended !== undefined) return { state: ended.state, reason: ended.reason };
  if (isHeld(holder)) {
    const told =
      waiting === undefined ? runningReason(state) : heldWaitingReason(state, waiting, holder);
    const unseen =
      holder.state === 'alive'
        ? ''
        : `; whether process ${holder.pid} on ${holder.host} lives cannot be seen from here`;
    return { state: waiting === undefined ? 'running' : 'waiting', reason: `${told}${unseen}` };
  }
  if (waiting !== undefined) {
    const { reason, until, answered } = waiting;
    if (answered === true) return { state: 'due', reason: `${reason}; ${ANSWERED}` };
    const gate = openGate(state.gates);
    const asked = gate === undefined ? reason : gateReason(gate);
    if (until === undefined) return { state: 'waiting', reason: asked };
    return isDue(waiting, now.getTime())
      ? { state: 'due', reason: `${asked}; ${OVER}` }
      : { state: 'waiting', reason: gate === undefined ? `${reason}; ${UNATTENDED}` : asked };
  }
  const agent = agentLives ? 'its agent still works; ' : '';
  return {
    state: 'interrupted',
    reason: `its devflow is gone; ${agent}\`devflow resume ${id}\` picks it up`,
  };
}

/** What is asked, and what comes of it where nobody answers in time. */
function gateReason({ reason, until, onTimeout }: Gate): string {
  if (until === undefined || onTimeout === undefined) return reason;
  const itself = { approve: 'is approved', reject: 'is rejected', abort: 'is ended' }[onTimeout];
  return `${reason}; if nobody answers until ${until}, it ${itself}`;
}

/** Its holder goes when a person is waited for, unless it was told to stay; it stays where the wait ends by itself. */
function heldWaitingReason(
  { gates }: RunState,
  { reason, until }: Waiting,
  { pid }: SeenHolder,
): string {
  const gate = openGate(gates);
  if (gate !== undefined) return `${gateReason(gate)}; process ${pid} stays for the answer`;
  return until === undefined ? reason : `${reason}; process ${pid} goes on by itself then`;
}

function runningReason(state: RunState): string {
  const attempt = openAttempt(state);
  return attempt === undefined ? 'between attempts' : `${attempt.agent} works`;
}
