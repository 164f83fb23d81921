import { createHash } from 'node:crypto';
import path from 'node:path';
import type { AdapterSource } from '../adapter/index.js';
import { DevflowError } from '../errors.js';
import type { Environment } from '../git/git.js';
import { effect } from '../process/effect.js';
import { asStateFault } from '../state/fault.js';
import { makeDirectory, readIfThere, writeDurably } from '../state/files.js';
import { defaultStateDir } from '../state/paths.js';

/** `changed`: a person has confirmed it, and it is something else since then. */
export type Confirmation = 'confirmed' | 'changed' | 'new';

/**
 * Has a person confirmed that this code may be run? What was confirmed is kept in the user's state directory,
 * one file for each path, so that two who confirm at once do not lose the other's word.
 *
 * @throws DevflowError ENVIRONMENT_INCOMPLETE, STATE_UNREADABLE
 */
export function confirmationOf(source: AdapterSource, env: Environment): Confirmation {
  const file = confirmationFile(source, env);
  try {
    const known = readIfThere(file);
    if (known === undefined) return 'new';
    if (known === confirmationText(source)) return 'confirmed';
    return known.endsWith(`  ${source.path}\n`) ? 'changed' : 'new'; // what is no confirmation confirms nothing
  } catch (cause) {
    throw new DevflowError('STATE_UNREADABLE', `${file} cannot be read: ${String(cause)}`, {
      cause,
    });
  }
}

export function isConfirmed(source: AdapterSource, env: Environment): boolean {
  return confirmationOf(source, env) === 'confirmed';
}

/** @throws DevflowError ENVIRONMENT_INCOMPLETE, STATE_UNWRITABLE */
export function confirm(source: AdapterSource, env: Environment): void {
  const file = confirmationFile(source, env);
  try {
    effect('program.remember', () => {
      makeDirectory(path.dirname(file));
      writeDurably(file, confirmationText(source));
    });
  } catch (error) {
    throw asStateFault(error);
  }
}

function confirmationFile(source: AdapterSource, env: Environment): string {
  const key = createHash('sha256').update(source.path).digest('hex').slice(0, 32);
  return path.join(defaultStateDir(env), 'confirmed-adapters', key);
}

/** Hash and path, as `sha256sum` writes them; compared as a whole. */
function confirmationText(source: AdapterSource): string {
  return `${source.hash}  ${source.path}\n`;
}
