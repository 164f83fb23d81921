import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { candidateAt } from './candidate.js';

let directory: string;
let loaded: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
  loaded = path.join(directory, 'loaded');
  mkdirSync(at('mine'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => path.join(directory, name);
const module = () => `import { writeFileSync } from 'node:fs';
  writeFileSync(${JSON.stringify(loaded)}, '');
  export const adapter = { name: 'x', capabilities: { modes: ['work'] }, execCommand() {},
    completionSignalDetected() {} };`;

describe('what is loaded', () => {
  const CASES: [what: string, asked: string, file: string][] = [
    ['a module', 'mine.mjs', 'mine.mjs'],
    ['a directory with a module', 'mine', 'mine/adapter.mjs'],
    ['a directory with a program', 'mine', 'mine/run'],
  ];
  it.each(CASES)('is what was confirmed, or nothing: %s', async (_, asked, file) => {
    const code = file.endsWith('run') ? '#!/bin/sh\n' : module();
    writeFileSync(at(file), code, { mode: 0o755 });
    const candidate = candidateAt(at(asked), 'mine', 'path');
    const source = await candidate.source();
    writeFileSync(at(file), `${code}\n`);
    await expect(candidate.load(source)).rejects.toMatchObject({
      code: 'ADAPTER_UNCONFIRMED',
      message: expect.stringContaining(`${at(asked)} has changed`),
      hint: expect.stringContaining('--accept mine'),
    });
    expect(existsSync(loaded)).toBe(false);
    writeFileSync(at(file), code);
    expect((await candidate.load(source)).name).toBe('mine');
    expect(existsSync(loaded)).toBe(!file.endsWith('run'));
  });
});
