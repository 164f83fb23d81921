import { DevflowError } from '../errors.js';
import { capture } from '../process/capture.js';
import { type Environment, gitEnvironment } from './git.js';

/** What devflow saves lasts, also after a power loss; it runs no hook and starts nothing. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.useReplaceRefs=false',
  'core.fsync=loose-object,reference',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

export interface PlumbingOptions {
  /** The index to use in place of the worktree's own. */
  readonly index?: string;
  /** Bytes, one character each. */
  readonly stdin?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** A status that is an answer too, beside 0. */
  readonly alsoStatus?: number;
}

/**
 * Runs git for its bytes: one character of the output is one byte, so that a name in any encoding stays what it is.
 * A warning is a failure too: what git could not look into was not saved.
 * @throws DevflowError SALVAGE_FAILED with git's own words
 */
export async function plumbing(
  directory: string,
  args: readonly string[],
  env: Environment,
  { index, stdin, variables, alsoStatus = 0 }: PlumbingOptions = {},
): Promise<string> {
  const result = await capture('git', [...SETTINGS, ...args], {
    cwd: directory,
    env: {
      ...gitEnvironment(env),
      ...variables,
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
    },
    ...(stdin !== undefined && { stdin: Buffer.from(stdin, 'latin1') }),
  });
  const { status, stdout, stderr, error } = result;
  if ((status === 0 || status === alsoStatus) && stderr.trim() === '')
    return stdout.toString('latin1');
  const words = error?.message ?? (stderr.trim() || `it ended with ${status}`);
  throw new DevflowError('SALVAGE_FAILED', `git ${args[0]} in ${directory}: ${words}`);
}
