import path from 'node:path';
import { DevflowError } from '../errors.js';
import { findRepository } from '../git/repository.js';
import type { CommonOptions } from '../hold.js';
import { phaseNamed } from '../phase-named.js';
import { NoRegularFile } from '../process/own-file.js';
import { readDefinition } from '../state/definition.js';
import { asStateFault } from '../state/fault.js';
import { readIfThere } from '../state/files.js';
import { type Attempt, fold } from '../state/fold.js';
import { allAttempts } from '../state/selectors.js';
import { readJournalIfThere } from '../state/journal.js';
import { runPaths } from '../state/paths.js';
import type { Phase } from '../workflow/workflow.js';

/** What an attempt was asked, to the letter. */
export interface KeptPrompt {
  readonly run: string;
  readonly phase: { readonly id: number; readonly name: string };
  readonly attempt: number;
  readonly agent: string;
  /** When the attempt began, as an ISO instant. */
  readonly at: string;
  readonly file: string;
  readonly prompt: string;
}

export interface PromptQuery {
  /** By number or name; that of the last attempt where it is left out. */
  readonly phase?: string;
  /** The last one at the phase where it is left out. */
  readonly attempt?: number;
}

/** The prompt of an attempt, as it was kept when it began. @throws DevflowError RUN_NOT_FOUND, OPTION_INVALID where there is no such attempt, STATE_GONE, STATE_UNREADABLE, JOURNAL_CORRUPT, JOURNAL_NEWER */
export async function keptPrompt(
  runId: string,
  query: PromptQuery,
  { cwd, env }: CommonOptions,
): Promise<KeptPrompt> {
  const { commonDir } = await findRepository(cwd, env);
  const paths = runPaths(commonDir, runId);
  const { phases } = readDefinition(paths.definition, runId).workflow;
  const attempts = allAttempts(fold(readJournalIfThere(paths.journal).records));
  const { phase, attempt } = attemptAsked(runId, phases, attempts, query);
  const file = path.join(attempt.directory, 'prompt.md');
  const { id, name } = phase;
  const { attempt: number, agent, startedAt: at } = attempt;
  return {
    run: runId,
    phase: { id, name },
    attempt: number,
    agent,
    at,
    file,
    prompt: readPrompt(file),
  };
}

function attemptAsked(
  runId: string,
  phases: readonly Phase[],
  attempts: readonly Attempt[],
  { phase: asked = String(attempts.at(-1)?.phase ?? ''), attempt: number }: PromptQuery,
): { readonly phase: Phase; readonly attempt: Attempt } {
  if (asked === '')
    throw new DevflowError('OPTION_INVALID', `no phase of the run ${runId} has begun yet`, {
      hint: BEGINS,
    });
  const phase = phaseNamed(phases, 'phase', asked);
  const label = `phase ${phase.id} ${phase.name}`;
  const ofPhase = attempts.filter(({ phase: of }) => of === phase.id);
  const attempt =
    number === undefined ? ofPhase.at(-1) : ofPhase.find(({ attempt: of }) => of === number);
  if (attempt !== undefined) return { phase, attempt };
  if (ofPhase.length === 0)
    throw new DevflowError('OPTION_INVALID', `${label} of the run ${runId} has not begun yet`, {
      hint: BEGINS,
    });
  const known = ofPhase.map(({ attempt: of }) => of).join(', ');
  throw new DevflowError(
    'OPTION_INVALID',
    `attempt: ${label} of the run ${runId} has no attempt ${number}`,
    { hint: `It has had: ${known}.` },
  );
}

const BEGINS =
  'A prompt is made when its attempt begins; `devflow status <run>` says where the run is.';

function readPrompt(file: string): string {
  try {
    const prompt = readIfThere(file);
    if (prompt !== undefined) return prompt;
  } catch (error) {
    if (!(error instanceof NoRegularFile)) throw asStateFault(error);
    throw new DevflowError('STATE_UNREADABLE', error.message, { cause: error });
  }
  throw new DevflowError('STATE_GONE', `the prompt is gone: ${file}`, {
    hint: 'What the agent did is kept on its branch; `devflow logs` shows what is left of the attempt.',
  });
}
