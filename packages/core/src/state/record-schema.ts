import {
  DECISIONS,
  GATE_KINDS,
  type JournalRecord,
  OUTCOMES,
  PROTECTED,
  type RecordBody,
} from './records.js';
import { LOOPS } from '../workflow/loop.js';
import {
  type Shape,
  above0,
  id,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  truth,
} from './shape.js';

/** What devflow relies on in each record. Looser than what is written: a later devflow may add fields. */
const name = { phase: id, attempt: id };
const entry = { phase: id, head: text, because: text };
const cameBack = { sentBackBy: optional(id), loop: optional(oneOf(LOOPS)) };
const holder = object({ pid: id });
const directory = object({ directory: text });
const check = object({ name: text, passed: truth });
const budget = object({ usd: optional(above0), tokens: optional(above0), wallClockMs: optional(above0) }); // prettier-ignore

const SHAPES: Readonly<Record<RecordBody['type'], Shape>> = {
  'run-started': object({ holder, definition: optional(text) }),
  'run-resumed': object({ holder, budget: optional(object({ limit: budget, phases: list(id) })) }),
  'worktree-adding': directory,
  'worktree-ready': directory,
  'worktree-removing': directory,
  'worktree-removed': directory,
  preflight: object({
    phase: id,
    problems: list(object({ code: text, message: text, hint: text })),
    notes: list(text),
  }),
  'checks-began': object({ phase: id, others: list(text) }),
  'checks-before': object({ phase: id, checks: list(check), left: optional(object({})) }),
  'phase-entered': object({ ...entry, ...cameBack }),
  'phase-skipped': object({ ...entry, ...cameBack, reason: text }),
  'condition-held': object({ phase: id, reason: text }),
  'attempt-intended': object({
    ...name,
    directory: text,
    cwd: text,
    token: text,
    cgroup: optional(text),
    worktree: optional(object({ index: text, paths: object({}) })),
    agent: text,
  }),
  'attempt-ended': object({
    ...name,
    outcome: oneOf(OUTCOMES),
    reasons: list(object({ evidence: text, says: text, text, detail: optional(text) })),
    commits: list(object({ hash: text, subject: text })),
    checks: list(check),
    left: optional(object({})),
    protected: optional(oneOf(PROTECTED)),
    durationMs: number,
  }),
  'run-waiting': object({ for: text, reason: text, until: optional(text) }),
  'gate-opened': object({
    gate: text,
    kind: oneOf(GATE_KINDS),
    phase: id,
    reason: text,
    until: optional(text),
    onTimeout: optional(oneOf(['approve', 'reject', 'abort'])),
  }),
  'gate-decided': object({
    gate: text,
    decision: oneOf(DECISIONS),
    by: text,
    note: optional(text),
    goto: optional(id),
  }),
  'wait-over': object({}),
  notified: object({ about: id, on: text, channel: text, problem: optional(text) }),
  'run-ended': object({ state: text, reason: text }),
};

/** What is wrong with a record, in words that go on from its line; undefined where nothing is. */
export function whyNoRecord(record: JournalRecord): string | undefined {
  const shape = SHAPES[record.type] as Shape | undefined; // what is read may hold any type
  if (shape === undefined) return `has the unknown type "${record.type}"`;
  const wrong = object({ at: text })(record) ?? shape(record);
  return wrong === undefined ? undefined : `has no valid "${wrong.slice(1)}"`;
}
