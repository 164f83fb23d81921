import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { build } from 'vite';

const OWN = fileURLToPath(new URL('../src/', import.meta.url));

/**
 * Makes a program of our own sources, as they are now, for a process of its own. To be called where tests
 * are declared: it is made before them and gone after them.
 * @param code imports from `devflow:<path below source, without extension>`
 * @param source the `src` of a package
 * @returns gives the program's file
 */
export function sourceProgram(code: string, source = OWN): () => string {
  let directory = '';
  beforeAll(async () => {
    directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-program-'));
    await bundle(code, source, directory);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return () => path.join(directory, 'out', 'program.mjs');
}

async function bundle(code: string, source: string, directory: string): Promise<void> {
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
      rolldownOptions: { output: { entryFileNames: 'program.mjs', codeSplitting: false } },
      minify: false,
    },
  });
}
