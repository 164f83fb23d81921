import { DevflowError, type Hooks, adapterNamesOf, resume, status } from '@devflow/core';
import { budgetIn } from '../budget.js';
import { nameOptions } from '../config/options.js';
import { canAsk } from '../adapters/confirmation.js';
import { adaptersNamed } from '../adapters/index.js';
import { loadHooks } from '../config/load.js';
import type { ExitCode } from '../exit-codes.js';
import { askerOn } from '../gate/question.js';
import { type Place, placeOf } from '../place.js';
import { type Work, supervise } from '../supervise.js';
import type { Terminal } from '../terminal.js';
import { theRunToResume } from '../unfinished.js';

export interface ResumeFlags {
  readonly due?: true;
  readonly interrupted?: true;
  readonly wait?: true;
  readonly acceptCode?: true;
  readonly detach?: true;
  readonly budget?: string;
  readonly json?: true;
  readonly quiet?: true;
  readonly cwd?: string;
}

export async function resumeRun(
  named: string | undefined,
  flags: ResumeFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const runId = named ?? (await theRunToResume(place));
  try {
    return await resumeNamed(runId, flags, terminal);
  } catch (error) {
    if (flags.due === true || !isHeld(error) || !(await staysAtPreflight(runId, place)))
      throw error;
    const { recheck } = await import('./answer.js');
    return recheck(runId, flags, terminal);
  }
}

/** In the foreground, asking where that can be done; or in the background. */
export async function resumeNamed(
  runId: string,
  flags: ResumeFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const mayAsk = canAsk(terminal, flags);
  const work = await prepareResume(runId, flags, mayAsk ? terminal : undefined);
  if (flags.detach !== true) {
    const asker = mayAsk ? askerOn(terminal, place) : {};
    return supervise(flags, terminal, work, { named: runId, ...asker });
  }
  const { detach } = await import('../detach/start.js');
  const { directory } = await status(runId, place);
  return detach({ command: 'resume', runId, flags, directory }, flags, terminal);
}

export function isHeld(error: unknown): boolean {
  return error instanceof DevflowError && error.code === 'RUN_HELD';
}

/** Its holder looks again, then. */
async function staysAtPreflight(runId: string, place: Place): Promise<boolean> {
  const { gate, heldBy } = await status(runId, place);
  return heldBy !== undefined && gate?.kind === 'preflight';
}

/**
 * Loads the code that the run needs.
 *
 * @param askOn where a person may be asked to confirm local code
 */
export async function prepareResume(
  runId: string,
  flags: ResumeFlags,
  askOn?: Terminal,
): Promise<Work> {
  const place = placeOf(flags);
  const code = await hooksOrFailure(place.cwd);
  const names = await adapterNamesOf(runId, place);
  const acceptCode = flags.acceptCode === true;
  const goOn = acceptCode ? undefined : `devflow resume ${runId} --accept-code`;
  const adapters = await adaptersNamed(names, place, askOn, goOn);
  const options = {
    ...place,
    ...budgetIn(flags.budget),
    adapters,
    hooks: code.hooks,
    acceptCode,
    wait: flags.wait === true,
    due: flags.due === true,
  };
  return (watched) =>
    resume(runId, { ...options, ...watched }).catch((error: unknown) => {
      const needsHooks = error instanceof DevflowError && error.code === 'HOOK_MISSING';
      throw needsHooks && code.failure !== undefined ? code.failure : nameOptions(error, flags);
    });
}

/** A run holds its own data: a configuration that was broken since is in the way only of a run that has hooks. */
async function hooksOrFailure(cwd: string): Promise<{ hooks: Hooks; failure?: unknown }> {
  try {
    return { hooks: await loadHooks(cwd) };
  } catch (failure) {
    return { hooks: {}, failure };
  }
}
