import path from 'node:path';

import type { Probe } from '@devflow/core/adapter';

/**
 * The binary that lies beside a stub: the npm package brings it in a package of its own for the
 * platform, and only its install script puts it in the place of the stub. Undefined where there is none.
 */
export async function binaryBeside(probe: Probe, program: string): Promise<string | undefined> {
  const stub = await probe.find(program);
  if (stub === undefined) return undefined;
  // What the PATH holds is a link into the package.
  const { stdout } = await probe.ask('readlink', ['-f', stub]);
  const packageDirectory = path.dirname(path.dirname(stdout.trim() || stub));
  for (const candidate of candidates(packageDirectory)) {
    const found = await probe.find(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** npm puts the platform's package beside the main one, or inside of it. */
function candidates(packageDirectory: string): string[] {
  const platform = `${process.platform}-${process.arch}`;
  return [platform, `${platform}-musl`].flatMap((name) => {
    const binary = `claude-code-${name}/claude`;
    return [
      path.join(packageDirectory, '..', binary),
      path.join(packageDirectory, 'node_modules', '@anthropic-ai', binary),
    ];
  });
}
