import { createHash } from 'node:crypto';
import { DevflowError } from '../errors.js';
import type { PhaseRange } from '../policy/step.js';
import type { Workflow } from '../workflow/workflow.js';
import { readIfThere } from './files.js';
import { id, list, object, optional, text } from './shape.js';

/** `run.json`: all that a run needs, written once. Editing configuration or prompts later changes no run. */
export interface RunDefinition {
  readonly v: 1;
  readonly id: string;
  readonly task: string;
  readonly workflow: Workflow;
  readonly range: PhaseRange;
  /** The commit the run starts from, and the name that was asked for. */
  readonly base: { readonly commit: string; readonly asked: string; readonly branch?: string };
  /** What the change is compared with: where base parted from it, and the name that was asked for. */
  readonly against?: { readonly commit: string; readonly asked: string };
  readonly branch: string;
  /** Where the run's worktrees go: the run's own is `<worktrees>/<id>`. */
  readonly worktrees: string;
  /** Where devflow keeps what it learned of programs. */
  readonly stateDir: string;
  /** Hooks and local adapters, as they were. */
  readonly codeHashes: Readonly<Record<string, string>>;
}

/** devflow writes it whole (write, fsync, rename); what is relied on all the same is looked at: an agent may reach it. */
const SHAPE = object({
  id: text,
  task: text,
  workflow: object({
    name: text,
    phases: list(object({ id, name: text, agents: list(text) })),
    notify: optional(list(object({ name: text, on: list(text) }))),
  }),
  range: object({}),
  base: object({ commit: text, asked: text }),
  branch: text,
  worktrees: text,
  stateDir: text,
  codeHashes: object({}),
});
const MEND = 'It is not devflow that leaves it so: restore it from a backup, or start a new run.';

/** As it is written. */
export function definitionText(definition: RunDefinition): string {
  return `${JSON.stringify(definition, undefined, 2)}\n`;
}

/** What the journal keeps of it. */
export function definitionHash(definition: RunDefinition): string {
  return createHash('sha256').update(definitionText(definition)).digest('hex');
}

/**
 * What was frozen is what the run goes on with: its checks, above all, which an agent may have reached.
 * @param hash as the journal has it
 * @throws DevflowError STATE_UNREADABLE
 */
export function requireSameDefinition(
  file: string,
  definition: RunDefinition,
  hash: string | undefined,
): void {
  if (hash === undefined || hash === definitionHash(definition)) return;
  throw new DevflowError('STATE_UNREADABLE', `${file} is not what the run began with`, {
    hint: MEND,
  });
}

/** @throws DevflowError RUN_NOT_FOUND, JOURNAL_NEWER, STATE_UNREADABLE */
export function readDefinition(file: string, runId: string): RunDefinition {
  const content = readIfThere(file);
  if (content === undefined)
    throw new DevflowError('RUN_NOT_FOUND', `there is no run "${runId}" here`);
  let value: Partial<RunDefinition> | null;
  try {
    value = JSON.parse(content) as Partial<RunDefinition> | null;
  } catch (cause) {
    throw new DevflowError('STATE_UNREADABLE', `${file} is no JSON`, { cause });
  }
  if (value?.v !== 1) {
    throw new DevflowError(
      'JOURNAL_NEWER',
      `${file} has format ${String(value?.v)}; this devflow knows 1`,
    );
  }
  const wrong = SHAPE(value);
  if (wrong !== undefined)
    throw new DevflowError('STATE_UNREADABLE', `${file} has no valid "${wrong.slice(1)}"`, {
      hint: MEND,
    });
  return value as RunDefinition;
}
