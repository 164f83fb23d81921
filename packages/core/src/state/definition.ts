import { DevflowError } from '../errors.js';
import type { PhaseRange } from '../policy.js';
import type { Workflow } from '../workflow/workflow.js';
import { readIfThere } from './files.js';

/** `run.json`: all that a run needs, written once. Editing configuration or prompts later changes no run. */
export interface RunDefinition {
  readonly v: 1;
  readonly id: string;
  readonly task: string;
  readonly workflow: Workflow;
  readonly range: PhaseRange;
  /** The commit the run starts from, and the name that was asked for. */
  readonly base: { readonly commit: string; readonly asked: string; readonly branch?: string };
  readonly branch: string;
  /** Where the run's worktrees go: the run's own is `<worktrees>/<id>`. */
  readonly worktrees: string;
  /** Where devflow keeps what it learned of programs. */
  readonly stateDir: string;
  /** Hooks and local adapters, as they were. */
  readonly codeHashes: Readonly<Record<string, string>>;
}

/** @throws DevflowError RUN_NOT_FOUND, JOURNAL_NEWER, STATE_UNREADABLE */
export function readDefinition(file: string, runId: string): RunDefinition {
  const text = readIfThere(file);
  if (text === undefined)
    throw new DevflowError('RUN_NOT_FOUND', `there is no run "${runId}" here`);
  let value: Partial<RunDefinition> | null;
  try {
    value = JSON.parse(text) as Partial<RunDefinition> | null;
  } catch (cause) {
    throw new DevflowError('STATE_UNREADABLE', `${file} is no JSON`, { cause });
  }
  if (value?.v !== 1) {
    throw new DevflowError(
      'JOURNAL_NEWER',
      `${file} has format ${String(value?.v)}; this devflow knows 1`,
    );
  }
  return value as RunDefinition; // written whole by devflow: write, fsync, rename
}
