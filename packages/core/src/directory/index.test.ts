import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import type { ExecRequest, Probe } from '../adapter/index.js';
import { directoryAdapter, readSource } from './index.js';

const request: ExecRequest = {
  phase: 3,
  mode: 'review',
  prompt: 'Do it.',
  cwd: '/checkout',
  extraWritableRoots: [],
  confinedBy: 'nobody',
  scratchDir: '/scratch',
};
const probe = {} as Probe; // it asks nothing

/** A directory with these files; `run` and `wire` are executable. */
function directoryWith(files: Record<string, string>, name = 'mine'): string {
  const directory = path.join(temporaryDirectory(), name);
  mkdirSync(directory);
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(path.join(directory, file), content);
    if (file === 'run' || file === 'wire') chmodSync(path.join(directory, file), 0o755);
  }
  return directory;
}
const SCRIPT = '#!/bin/sh\n';
const problemsOf = (directory: string): readonly string[] => {
  try {
    directoryAdapter(directory);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ADAPTER_INVALID' });
    return (error as { problems: string[] }).problems;
  }
  return [];
};

describe('a directory as an agent', () => {
  it('is its program, by its absolute path, with the prompt on standard input', () => {
    const directory = directoryWith({ run: SCRIPT });
    const adapter = directoryAdapter(directory);
    expect(adapter.name).toBe('mine');
    expect(adapter.execCommand(request)).toEqual({
      program: path.join(directory, 'run'),
      args: [],
      stdin: 'Do it.',
    });
    expect(adapter.completionSignalDetected('')).toBe(true);
  });

  it('behind a link is the one that the link leads to', () => {
    const directory = directoryWith({ run: SCRIPT });
    symlinkSync(directory, `${directory}-link`);
    const adapter = directoryAdapter(`${directory}-link`);
    expect(adapter.name).toBe('mine-link');
    expect(adapter.execCommand(request).program).toBe(path.join(directory, 'run'));
  });

  it('is told what to do by its environment', () => {
    const adapter = directoryAdapter(directoryWith({ run: SCRIPT }));
    const told = { AGENT_PROMPT: 'Do it.', AGENT_MODE: 'review', AGENT_CWD: '/checkout' };
    expect(adapter.extraEnv?.(request)).toEqual(told);
    expect(adapter.extraEnv?.({ ...request, model: 'm' })).toEqual({ ...told, AGENT_MODEL: 'm' });
    expect(adapter.envFrom).toEqual(['BOARD_AGENT_ID', 'BOARD_TASK', 'BOARD_PORT']);
  });

  it('gets a prompt that no variable can hold on standard input alone', () => {
    const adapter = directoryAdapter(directoryWith({ run: SCRIPT }));
    for (const prompt of ['x'.repeat(300_000), 'ü'.repeat(60_000), 'a\0b']) {
      expect(adapter.extraEnv?.({ ...request, prompt })).not.toHaveProperty('AGENT_PROMPT');
      expect(adapter.execCommand({ ...request, prompt }).stdin).toBe(prompt);
    }
  });

  it('states its version, and in its preflight that it is what it was', async () => {
    const directory = directoryWith({ run: SCRIPT, 'adapter.json': '{ "version": "1.2.0" }' });
    const adapter = directoryAdapter(directory);
    expect(await adapter.preflight?.(probe)).toEqual({ problems: [], notes: [], version: '1.2.0' });
    writeFileSync(path.join(directory, 'run'), `${SCRIPT}rm -rf /\n`);
    expect(await adapter.preflight?.(probe)).toMatchObject({
      problems: [{ code: 'ADAPTER_CHANGED', hint: expect.stringContaining('--accept') }],
    });
  });

  it('is held to what was confirmed, not to what it holds when the adapter is made', async () => {
    const directory = directoryWith({ run: SCRIPT });
    const confirmed = readSource(directory);
    writeFileSync(path.join(directory, 'run'), `${SCRIPT}true\n`);
    const adapter = directoryAdapter(directory, confirmed);
    expect(adapter.source).toBe(confirmed);
    expect((await adapter.preflight?.(probe))?.problems).toHaveLength(1);
  });
});

describe('a directory that is no adapter', () => {
  it('is refused with all that is wrong', () => {
    const directory = directoryWith({ wire: 'echo', 'adapter.json': '[1]' }, 'My Agent');
    expect(problemsOf(directory)).toEqual([
      '"My Agent": expected a directory named by lower-case letters, digits and hyphens',
      'run: expected an executable file, found nothing',
      'wire: expected a program, or a script with a first line such as "#!/bin/sh"',
      'adapter.json: expected an object, found [1]',
    ]);
  });

  it('has a program that cannot be executed', () => {
    const directory = directoryWith({ run: SCRIPT });
    chmodSync(path.join(directory, 'run'), 0o644);
    expect(problemsOf(directory)).toEqual([
      expect.stringMatching(/^run: not executable; `chmod \+x \/.*run`$/),
    ]);
  });

  it.each([
    ['', /first line such as/],
    ['print("hello")\n', /first line such as/],
    ['#!/bin/sh\r\necho\r\n', /ends in CR/],
  ])('has a program that no system starts: %j', (run, problem) => {
    expect(problemsOf(directoryWith({ run }))).toEqual([expect.stringMatching(problem)]);
  });

  it('has a directory where its program should be', () => {
    const directory = directoryWith({});
    mkdirSync(path.join(directory, 'run'));
    expect(problemsOf(directory)).toEqual([expect.stringMatching(/^run: EISDIR/)]);
  });

  it.each([
    ['{', /^adapter\.json: .*JSON/],
    ['{ "version": 2 }', /^adapter\.json: version: expected a string, found 2/],
    ['{ "verison": "2" }', /did you mean "version"/],
  ])('says of itself %s', (json, problem) => {
    expect(problemsOf(directoryWith({ run: SCRIPT, 'adapter.json': json }))).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it('may be a program that was compiled', () => {
    const directory = directoryWith({});
    copyFileSync('/bin/true', path.join(directory, 'run'));
    expect(problemsOf(directory)).toEqual([]);
  });
});
