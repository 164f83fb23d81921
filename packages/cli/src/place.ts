import { existsSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '@devflow/core/errors';

/** Where a command works, and in which environment: all that the library is told of this process. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** @throws DevflowError OPTION_INVALID where --cwd is no directory */
export function placeOf({ cwd }: { readonly cwd?: string }): Place {
  const directory = path.resolve(cwd ?? '.');
  if (!existsSync(directory))
    throw new DevflowError('OPTION_INVALID', `--cwd: ${directory} does not exist`);
  return { cwd: directory, env: process.env };
}
