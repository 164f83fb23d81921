import { existsSync } from 'node:fs';
import type { RunContext } from './context.js';
import { DevflowError } from './errors.js';
import { codeOf } from './process/system-error.js';
import { asStateFault } from './state/fault.js';

/** What is to be done once what stopped a run is mended. */
export const GO_ON = '`devflow resume <run>`';

/** What stopped a run that was under way, in words that say what is kept and how it goes on. The agent is ended by now. */
export function asRunFault(error: unknown, context: RunContext): unknown {
  const fault = asGone(error, context) ?? asStateFault(error, GO_ON);
  if (!(fault instanceof DevflowError) || fault.code !== 'STATE_GONE') return fault;
  const { definition, paths, log } = context;
  const worktree = log.state.worktree?.directory;
  const kept =
    worktree === undefined
      ? 'it had no worktree yet'
      : `what was done is kept: branch ${definition.branch}, worktree ${worktree}`;
  const isWhole = existsSync(paths.definition) && existsSync(paths.journal);
  return new DevflowError('STATE_GONE', `${fault.message}; the run is stopped, and ${kept}`, {
    cause: error,
    ...(isWhole && { hint: `What is left is enough to go on: ${GO_ON}.` }),
  });
}

/** Something of the run's own directory is not there any more. */
function asGone(error: unknown, { paths }: RunContext): DevflowError | undefined {
  const { path = '' } = error as NodeJS.ErrnoException;
  if (codeOf(error) !== 'ENOENT' || !path.startsWith(`${paths.directory}/`)) return undefined;
  return new DevflowError('STATE_GONE', `${path} was removed while the run was under way`);
}
