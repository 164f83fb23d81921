import type { AgentEvent, AgentEventKind, TurnState } from '../../../../adapter/index.js';
import { type ConformanceCase, judged } from '../../case.js';
import {
  asOutput,
  linesOf,
  readAs,
  requireCaptures,
  whyNoCaptures,
  whyNoEvents,
} from '../captures.js';
import type { AdapterSubject } from '../subject.js';

const KINDS: Readonly<Record<AgentEventKind, true>> = {
  session: true, prompt: true, text: true, idle: true, edit: true, read: true, search: true, command: true,
  test: true, check: true, git: true, plan: true, subagent: true, web: true, attention: true, error: true,
  usage: true, end: true, other: true,
}; // prettier-ignore
const STATES: Readonly<Record<TurnState, true>> = {
  unknown: true, working: true, turn_finished: true, needs_operator: true, failed: true, exited: true,
}; // prettier-ignore

/** A record that no vendor prints. */
export const UNKNOWN = '{"type":"conformance.unheard-of","payload":{"deep":["raw words"],"n":1}}';

export const eventsNormalised: ConformanceCase<AdapterSubject> = {
  name: 'events-normalised',
  unsupported: (subject) => whyNoEvents(subject) ?? whyNoCaptures(subject),
  run({ subject, observe }) {
    const { success, error } = requireCaptures(subject);
    const [good, bad] = [readAs(subject, success), readAs(subject, error)];
    observe(`success: ${good.events.map(({ kind }) => kind).join(' ')}`);
    observe(`error: ${bad.events.map(({ kind }) => kind).join(' ')}`);
    return judged(
      [
        ...[...good.events, ...bad.events].flatMap(malformed),
        outOfOrder(good.events),
        lastState(good.events) === 'turn_finished'
          ? undefined
          : `the success capture ends in the state ${lastState(good.events)}`,
        lastState(bad.events) === 'turn_finished'
          ? 'the error capture ends in the state turn_finished'
          : undefined,
        ...unknownBecomesOther(subject),
      ],
      'known kinds in order; what is not known is kept as it is',
    );
  },
};

/** What is no event of the vocabulary. */
export function malformed(event: AgentEvent): string[] {
  const { v, kind, name, summary, file = '', cmd = '', detail = '', state, child } = event;
  const short = [name, summary, file, cmd].every((words) => words.length <= 300);
  const isWell =
    v === 1 && kind in KINDS && state in STATES && typeof child === 'boolean' && name !== '';
  const fits = short && !/[\r\n]/.test(summary) && detail.length <= 900;
  return [
    ...(isWell ? [] : [`no event of the vocabulary: ${JSON.stringify(event).slice(0, 200)}`]),
    ...(fits ? [] : [`an event "${kind}" is longer than events may be`]),
  ];
}

/** The session comes first and the end last; of sub-agents neither is asked. */
function outOfOrder(events: readonly AgentEvent[]): string | undefined {
  const own = events.filter(({ child }) => !child).map(({ kind }) => kind);
  const known = own.filter((kind) => kind !== 'other' && kind !== 'error' && kind !== 'usage');
  if (known.includes('session') && known[0] !== 'session') return 'the session does not come first';
  const end = known.indexOf('end');
  const after = end === -1 ? undefined : known[end + 1];
  return after === undefined ? undefined : `${after} follows the end`;
}

function lastState(events: readonly AgentEvent[]): TurnState | undefined {
  return events.findLast(({ child }) => !child)?.state;
}

/** Before the last line of the success capture, which stays one. */
function unknownBecomesOther(subject: AdapterSubject): (string | undefined)[] {
  const lines = linesOf(requireCaptures(subject).success.stdout);
  const stdout = asOutput([...lines.slice(0, -1), UNKNOWN, ...lines.slice(-1)]);
  const plain = readAs(subject, { stdout: asOutput(lines), status: 0 });
  const reading = readAs(subject, { stdout, status: 0 });
  const kept = reading.events.filter(({ detail }) => detail === UNKNOWN);
  return [
    kept.length === 1 && kept[0]?.kind === 'other'
      ? undefined
      : 'an unknown event does not become one "other" with the raw record',
    reading.outcome === plain.outcome
      ? undefined
      : `an unknown event makes the success ${reading.outcome}`,
  ];
}
