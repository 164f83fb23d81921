import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * The absolute path of a program, looked up in a PATH, or from a directory where it is given as a path.
 * @returns undefined where there is none that may be executed
 */
export function findProgram(
  program: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): string | undefined {
  if (program.includes('/')) {
    const file = path.resolve(cwd, program);
    return isExecutable(file) ? file : undefined;
  }
  const directories = (env['PATH'] ?? '')
    .split(':')
    .filter((directory) => path.isAbsolute(directory));
  return directories.map((directory) => path.join(directory, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
