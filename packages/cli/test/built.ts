import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../..', import.meta.url));

/** These tests start the built program: an old build would test what is no longer there. */
export function requireFreshBuild(): void {
  for (const name of readdirSync(packages)) {
    const built = modified(path.join(packages, name, 'dist', '.tsbuildinfo'));
    const sources = path.join(packages, name, 'src');
    const newer = readdirSync(sources, { recursive: true, encoding: 'utf8' }).find(
      (file) => /(?<!\.test)\.ts$/.test(file) && modified(path.join(sources, file)) > built,
    );
    if (newer !== undefined)
      throw new Error(`packages/${name}/src/${newer} is newer than the build: run \`npx tsc -b\``);
  }
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
