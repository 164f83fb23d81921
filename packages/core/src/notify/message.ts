import { cut, oneLine, withoutControls } from '../adapter/words.js';
import type { RunDefinition } from '../state/definition.js';
import type { RunState } from '../state/fold.js';
import { openGate } from '../state/gates.js';
import type { News } from '../state/news.js';
import type { NotifyOn } from '../workflow/schema-notify.js';

/** What a channel is given. Version 1: fields are added, never changed. */
export interface Message {
  readonly v: 1;
  /** `probe`: nothing has happened; whoever reads it sees that the channel works. */
  readonly event: NotifyOn | 'probe';
  readonly title: string;
  /** In one line, of at most 300 characters. */
  readonly text: string;
  readonly run: string;
  readonly task: string;
  readonly branch: string;
  /** The repository's root. */
  readonly repository: string;
  readonly phase?: { readonly id: number; readonly name: string };
  /** The id of the gate that is open. */
  readonly gate?: string;
  /** The instant at which the run goes on, or the gate decides by itself. */
  readonly until?: string;
  /** A command: what a person may do now. */
  readonly next?: string;
}

/** What every message of a run says. */
export interface MessageBase {
  readonly definition: Pick<RunDefinition, 'id' | 'task' | 'branch' | 'workflow'>;
  readonly root: string;
  /** Takes secrets out, before a text is cut. */
  readonly redact: (text: string) => string;
}

/** Pure: the message about where a run stands. */
export function newsMessage(base: MessageBase, state: RunState, { on }: News): Message {
  const { definition } = base;
  const gate = openGate(state.gates);
  const phaseId = gate?.phase ?? state.visits.at(-1)?.phase;
  const phase = definition.workflow.phases.find(({ id }) => id === phaseId);
  const until = state.waiting?.until;
  return {
    ...message(
      base,
      on,
      state.ended?.state === 'stopped' ? 'has ended' : TITLES[on],
      text(state, base.redact),
    ),
    ...(phase !== undefined && { phase: { id: phase.id, name: phase.name } }),
    ...(gate !== undefined && on === 'gate' && { gate: gate.gate }),
    ...(until !== undefined && { until }),
    next: next(definition.id, on, state),
  };
}

/** A run that cannot go on although it has not ended: what stopped it is wrong with the machine or devflow's state. */
export function faultMessage(base: MessageBase, why: string): Message {
  const broken = message(base, 'failed', 'broke off', why);
  return { ...broken, next: `devflow resume ${base.definition.id}` };
}

export function probeMessage(base: MessageBase): Message {
  return message(base, 'probe', 'can tell you here', 'this is where it says how the run goes');
}

const TITLES: Readonly<Record<NotifyOn, string>> = {
  gate: 'asks you',
  waiting: 'waits',
  failed: 'has failed',
  completed: 'is completed',
};

function message(
  { definition: { id, task, branch }, root, redact }: MessageBase,
  event: Message['event'],
  does: string,
  why: string,
): Message {
  return {
    v: 1,
    event,
    title: `devflow: ${id} ${does}`,
    text: plain(redact(why)),
    run: id,
    task: plain(redact(task)),
    branch,
    repository: root,
  };
}

/** One line, and nothing in it that steers a terminal or turns the direction of the text. */
function plain(words: string): string {
  return oneLine(withoutControls(words.replaceAll('\0', ' ')).replaceAll(UNSEEN, ''));
}

const UNSEEN = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

function text(
  { gates, ended, waiting, lastPreflight }: RunState,
  redact: MessageBase['redact'],
): string {
  const gate = openGate(gates);
  if (ended !== undefined || gate === undefined) return ended?.reason ?? waiting?.reason ?? '';
  const problems = gate.kind === 'preflight' ? (lastPreflight?.problems ?? []) : [];
  // Each gets its share: the last of them may be the one that counts.
  const share = Math.floor(200 / Math.max(1, problems.length));
  const said = problems.map((problem) =>
    cut(oneLine(redact(problem.message)), Math.max(20, share)),
  );
  return [gate.message, gate.reason, ...said].filter((part) => part !== undefined).join('; ');
}

function next(id: string, on: NotifyOn, { gates, waiting }: RunState): string {
  if (on === 'gate')
    return openGate(gates)?.kind === 'preflight' ? `devflow resume ${id}` : `devflow gates ${id}`;
  if (on !== 'waiting') return `devflow status ${id}`;
  return waiting?.until === undefined ? `devflow resume ${id}` : 'devflow resume --due';
}

/** All that a person must know, for programs that show the text alone. */
export function wholeText({ title, text: why, repository, next: command }: Message): string {
  const then = command === undefined ? '' : `. Next: ${command}`;
  return `${title} (${repository}): ${why}${then}`;
}

/** The message as variables of the environment of a command; those that say nothing are empty. */
export function messageVariables(given: Message): Record<string, string> {
  const { event, title, text: words, run, task, branch, repository } = given;
  const { phase, gate, until, next: command } = given;
  return {
    DEVFLOW_EVENT: event,
    DEVFLOW_TITLE: title,
    DEVFLOW_TEXT: words,
    DEVFLOW_RUN_ID: run,
    DEVFLOW_TASK: task,
    DEVFLOW_BRANCH: branch,
    DEVFLOW_REPOSITORY: repository,
    DEVFLOW_PHASE: phase === undefined ? '' : String(phase.id),
    DEVFLOW_PHASE_NAME: phase?.name ?? '',
    DEVFLOW_GATE: gate ?? '',
    DEVFLOW_UNTIL: until ?? '',
    DEVFLOW_NEXT: command ?? '',
  };
}
