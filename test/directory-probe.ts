import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

import type { Probe, ProbeAnswer } from '@devflow/core/adapter';

/** A probe that runs real programs, of one directory only. */
export function probeOf(directory: string, facts: Partial<Probe> = {}): Probe {
  const env = { PATH: `${directory}:/usr/bin:/bin`, ...facts.env };
  const find = async (program: string) => {
    const file = path.resolve(directory, program);
    return access(file, constants.X_OK).then(
      () => file,
      () => undefined,
    );
  };
  return {
    cwd: directory,
    mode: 'work',
    confinedBy: 'nobody',
    checkLogin: false,
    asks: [],
    ...facts,
    env,
    find,
    ask: (program, args) =>
      new Promise<ProbeAnswer>((resolve) => {
        const child = execFile(
          program,
          [...args],
          { env, cwd: directory, timeout: 20_000 },
          (error, stdout, stderr) => {
            const status =
              error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
            resolve({ status, stdout, stderr });
          },
        );
        child.stdin?.end();
      }),
  };
}
