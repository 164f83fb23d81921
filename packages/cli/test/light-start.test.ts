import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const packages = fileURLToPath(new URL('../..', import.meta.url));
/** All but `import type`, which is gone once built, and `await import`, which waits until it is needed. */
const IMPORTS = /^(?:import|export)(?! type\b)(?:[^;'"]*?\bfrom)?\s*'([^']+)'/gm;

/** The libraries that are loaded with a source file, each with the file that wants it. */
function libraries(entry: string): string[] {
  const files = [path.join(packages, entry)];
  const found: string[] = [];
  for (const file of files) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTS)) {
      const source = sourceOf(name, file);
      if (source === undefined) found.push(`${path.relative(packages, file)}: ${name}`);
      else if (source !== '' && !files.includes(source)) files.push(source);
    }
  }
  return found;
}

/** Empty for what Node.js has itself; undefined for a library. */
function sourceOf(name: string, file: string): string | undefined {
  if (name.startsWith('node:')) return '';
  if (name.startsWith('.')) return path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts'));
  const entry = /^@devflow\/core\/(.+)$/.exec(name)?.[1];
  if (entry === undefined) return undefined;
  const core = path.join(packages, 'core');
  const { exports } = JSON.parse(readFileSync(path.join(core, 'package.json'), 'utf8')) as {
    exports: Record<string, { 'devflow-source': string }>;
  };
  return path.join(core, exports[`./${entry}`]?.['devflow-source'] ?? '');
}

// Each costs as much as all the rest of a command that only looks.
test.each(['main', 'commands/status', 'commands/list'])(
  '%s loads no library before it needs one',
  (name) => {
    expect(libraries(`cli/src/${name}.ts`)).toEqual([]);
  },
);

test('what loads one is found', () => {
  expect(libraries('core/src/workflow/problems.ts')).toContain(
    'core/src/workflow/problems.ts: zod',
  );
});
