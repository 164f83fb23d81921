import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { build } from 'vite';

const source = fileURLToPath(new URL('../src/', import.meta.url));

/**
 * Makes a program of our own sources, as they are now, for a process of its own.
 * To be called before the tests of a file; the program is gone after them.
 * @param code imports from `devflow:<path below src, without extension>`
 */
export async function sourceProgram(code: string): Promise<string> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-program-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const entry = path.join(directory, 'entry.mjs');
  writeFileSync(
    entry,
    code.replaceAll(/'devflow:([\w/-]+)'/g, (_, file: string) => `'${source}${file}.ts'`),
  );
  await build({
    configFile: false,
    root: directory,
    logLevel: 'silent',
    build: {
      ssr: entry,
      outDir: path.join(directory, 'out'),
      rolldownOptions: { output: { entryFileNames: 'program.mjs' } },
      minify: false,
    },
  });
  return path.join(directory, 'out', 'program.mjs');
}
