import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { phaseOf } from '../../test/journal-of.js';
import { temporaryDirectory } from '../../test/temporary.js';
import { howItEnded, runChecks } from './checks.js';
import type { RunContext } from '../context.js';
import type { RunEventBody } from '../events.js';
import type { Check } from '../workflow/workflow.js';

const check = (name: string, script: string, timeoutMs = 20_000): Check => ({
  name,
  command: ['/bin/sh', '-c', script],
  timeoutMs,
});

async function checked(
  checks: Check[],
  onEvent: (event: RunEventBody) => void = () => undefined,
  stop = new AbortController().signal,
) {
  const cwd = temporaryDirectory();
  const env = { PATH: process.env['PATH'], HOME: cwd, MY_SECRET: 'secret-value' };
  const definition = { workflow: { profiles: {} } };
  const told = { definition, agents: new Map(), emit: onEvent };
  const context = { env, stop, ...told } as unknown as RunContext; // all that checks look at
  const directory = path.join(cwd, 'attempt');
  const run = { checks, attempt: 1, cwd, directory };
  return { cwd, directory, results: await runChecks(context, phaseOf(1, 'code', { checks }), run) };
}

describe('the checks of a phase', () => {
  it('run one after another in the checkout, each to its end, whatever came before', async () => {
    const { cwd, results } = await checked([
      check('first', 'pwd; echo err >&2; touch made; exit 3'),
      check('second', 'test -e made && env'),
    ]);
    expect(results).toMatchObject([
      {
        name: 'first',
        passed: false,
        ended: 'exit 3',
        command: ['/bin/sh', '-c', expect.any(String)],
      },
      { name: 'second', passed: true, ended: 'exit 0' },
    ]);
    expect(results[0]?.output).toContain(cwd);
    expect(results[0]?.output).toContain('err');
    expect(results[1]?.output).not.toContain('secret-value');
  });

  it('have a time limit, and one that cannot be started has not passed', async () => {
    const { results } = await checked([
      check('slow', 'sleep 60', 50),
      { name: 'none', command: ['no-such-program'], timeoutMs: 1_000 },
    ]);
    expect(results).toMatchObject([
      { passed: false, ended: 'timed out after 0.1s' },
      { passed: false, ended: expect.stringMatching(/^could not be started: .*no-such-program/s) },
    ]);
  });

  it('leave all of their output in files, and its end in the journal', async () => {
    const script = 'i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; exit 1';
    const { directory, results } = await checked([check('one', 'echo 1'), check('many', script)]);
    const log = path.join(directory, 'checks', '2.log');
    expect(results[1]).toMatchObject({ log });
    expect(readFileSync(log, 'utf8')).toMatch(/^line 0\nline 1\n[^]*line 2999\n$/);
    expect(results[1]?.output).toMatch(/line 2999\n$/);
    expect(Buffer.byteLength(results[1]?.output ?? '')).toBe(8_000);
  });

  it('that flood leave the end of it', async () => {
    const { results } = await checked([check('flood', 'yes | head -c 9000000; echo end')]);
    const text = readFileSync(results[0]?.log ?? '', 'utf8');
    expect(text).toMatch(/^\[only the last 4000000 bytes are kept\]\n(?:y\n|\n)[^]*\nend\n$/);
    expect(text.length).toBeLessThan(4_100_000);
  });

  it('that were not run because of a stop have not passed', async () => {
    const controller = new AbortController();
    const { results } = await checked(
      [check('first', 'true'), check('second', 'true')],
      (event) => event.type === 'check-ended' && controller.abort(),
      controller.signal,
    );
    expect(results).toMatchObject([
      { name: 'first', passed: true },
      { name: 'second', passed: false, ended: 'stopped' },
    ]);
  });

  it('are told as they begin and end', async () => {
    const events: string[] = [];
    await checked([check('one', 'true')], (event) => events.push(event.type));
    expect(events).toEqual(['check-started', 'check-ended']);
  });
});

describe('how a command ended', () => {
  const result = {
    status: undefined,
    timedOut: false,
    aborted: false,
    output: '',
    stdout: '',
    stderr: '',
    durationMs: 1,
  };
  it.each([
    [{ status: 0 }, 'exit 0'],
    [{ status: 1 }, 'exit 1'],
    [{ signal: 'SIGKILL' }, 'SIGKILL'],
    [{}, 'ended without a status'],
    [{ timedOut: true, signal: 'SIGTERM' }, 'timed out after 10m 0s'],
    [{ aborted: true, signal: 'SIGTERM' }, 'stopped'],
    [{ spawnError: 'ENOENT' }, 'could not be started: ENOENT'],
    [
      { spawnError: "Command failed with ENOENT: show 'a\\nb'\nspawn show ENOENT" },
      'could not be started: show is not in the PATH, or the directory to run it in is gone',
    ],
  ])('%j is said as "%s"', (more, words) => {
    expect(howItEnded({ ...result, ...more }, 600_000)).toBe(words);
  });
});
