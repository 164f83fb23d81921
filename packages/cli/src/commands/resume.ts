import { DevflowError, type Hooks, adapterNamesOf, resume, status } from '@devflow/core';
import { budgetIn } from '../budget.js';
import { nameOptions } from '../config/options.js';
import { canAsk } from '../adapters/confirmation.js';
import { adaptersNamed } from '../adapters/index.js';
import { loadHooks } from '../config/load.js';
import type { ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
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
  const work = await prepareResume(runId, flags, canAsk(terminal, flags) ? terminal : undefined);
  if (flags.detach !== true) return supervise(flags, terminal, work, runId);
  const { detach } = await import('../detach/start.js');
  const { directory } = await status(runId, place);
  return detach({ command: 'resume', runId, flags, directory }, flags, terminal);
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
