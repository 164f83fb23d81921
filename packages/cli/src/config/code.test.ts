import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { importCode } from './code.js';

it('what code of the user’s prints is kept off stdout, also long after it was loaded', async () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
  const { stdout, stderr } = process;
  const written = { stdout: '', stderr: '' };
  const before = [stdout.write.bind(stdout), stderr.write.bind(stderr)] as const;
  onTestFinished(() => {
    [stdout.write, stderr.write] = before;
    rmSync(directory, { recursive: true });
  });
  const collects = (name: keyof typeof written) => (text: string | Uint8Array) => {
    written[name] += String(text);
    return true;
  };
  [stdout.write, stderr.write] = [collects('stdout'), collects('stderr')];
  const file = path.join(directory, 'hook.mjs');
  writeFileSync(
    file,
    `process.stdout.write('loaded ');
    export default () => process.stdout.write('called ');`,
  );
  const hook = (await importCode(file, { default: true })) as () => void;
  hook();
  expect(written).toEqual({ stdout: '', stderr: 'loaded called ' });
});
