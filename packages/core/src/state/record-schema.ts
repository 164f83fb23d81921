import { z } from 'zod';
import { corrupt } from './journal.js';
import { type JournalRecord, OUTCOMES, type RecordBody } from './records.js';

/** What a holder relies on in each record. Looser than what is written: a later devflow may add fields. */
const text = z.string();
const id = z.int().min(1);
const name = { phase: id, attempt: id };
const problem = z.looseObject({ code: text, message: text, hint: text });
const above0 = z.number().positive().optional();
const budget = z.looseObject({ usd: above0, tokens: above0, wallClockMs: above0 });
const reason = z.looseObject({ evidence: text, says: text, text });

const SCHEMAS: Readonly<Record<RecordBody['type'], z.ZodType>> = {
  'run-started': z.looseObject({ holder: z.looseObject({ pid: id }) }),
  'run-resumed': z.looseObject({
    holder: z.looseObject({ pid: id }),
    budget: z.looseObject({ limit: budget, phases: z.array(id) }).optional(),
  }),
  'worktree-adding': z.looseObject({ directory: text }),
  'worktree-ready': z.looseObject({ directory: text }),
  'worktree-removing': z.looseObject({ directory: text }),
  'worktree-removed': z.looseObject({ directory: text }),
  preflight: z.looseObject({ phase: id, problems: z.array(problem), notes: z.array(text) }),
  'phase-entered': z.looseObject({
    phase: id,
    head: text,
    because: text,
    sentBackBy: id.optional(),
  }),
  'attempt-intended': z.looseObject({
    ...name,
    directory: text,
    cwd: text,
    token: text,
    cgroup: text.optional(),
    agent: text,
  }),
  'attempt-ended': z.looseObject({
    ...name,
    outcome: z.enum(OUTCOMES),
    reasons: z.array(reason),
    commits: z.array(z.looseObject({ hash: text, subject: text })),
    checks: z.array(z.looseObject({ name: text, passed: z.boolean() })),
    durationMs: z.number(),
  }),
  'run-waiting': z.looseObject({ for: text, reason: text, until: text.optional() }),
  'wait-over': z.looseObject({}),
  'run-ended': z.looseObject({ state: text, reason: text }),
};

/** @throws DevflowError JOURNAL_CORRUPT naming the line and the field */
export function checkRecords(records: readonly JournalRecord[], file: string): void {
  for (const record of records) {
    const schema = SCHEMAS[record.type] as z.ZodType | undefined; // what is read may hold any type
    if (schema === undefined)
      throw corrupt(file, record.seq, `has the unknown type "${record.type}"`);
    const { error } = schema.safeParse(record);
    const issue = error?.issues[0];
    if (issue !== undefined)
      throw corrupt(file, record.seq, `has no valid "${issue.path.join('.')}"`, error);
  }
}
