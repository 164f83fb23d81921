/** Runs that wait for a limit, on the command line; and what docs/waiting.md shows is tried. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { type KnownLimit, knownLimits } from '@devflow/core/limits';
import { PROGRAM, parseRun } from './command-line.js';
import {
  LATER,
  SOON,
  launches,
  limit,
  namesNoAccount,
  statusOf,
  untilDue,
  useLimitedAgent,
} from './limited.js';
import { here, useOwnRepository, write } from './own-adapters.js';
import { onTerminal } from './terminal.js';
import { agentBegan, waitsFor } from './workflows.js';

useOwnRepository();
beforeEach(() => useLimitedAgent());

const waits = async (run: string, ...resets: number[]) => {
  limit(...resets);
  return here.devflow(['run', 'it', '--name', run]);
};

describe('a run that waits for a limit', () => {
  test('says until when, and that nobody stays; in the report and in the status', async () => {
    const { code, stdout } = await waits('it', LATER);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /waiting until \d{4}-\S+ \d\d:\d\d UTC\S* \(in (59m|1h)[^)]*\): phase 1 code/,
    );
    expect(stdout).toContain('\n  devflow resume --due\n');
    const status = (await here.devflow(['status'])).stdout.replace(/\s+/g, ' ');
    expect(status).toMatch(/nobody waits for it: `devflow resume --due` goes on after that/);
    expect(status).toMatch(/until \d{4}-\S+ \S+ UTC\S* \(in /);
  });

  test('goes on by itself with --wait, and says both', async () => {
    limit(SOON);
    const { code, stdout } = await here.devflow(['run', 'it', '--name', 'it', '--wait']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/waiting until .* \(in \S+\), and going on then: /);
    expect(stdout).toContain('the wait is over');
  });

  test('says so in JSON', async () => {
    limit(SOON);
    const json = await here.devflow(['run', 'it', '--name', 'json', '--wait', '--json']);
    const { events, result } = parseRun(json.stdout);
    expect(result.state).toBe('completed');
    expect(events.filter(({ type }) => type === 'run-waiting')).toMatchObject([{ stays: true }]);
    expect(events.filter(({ type }) => type === 'wait-over')).toHaveLength(1);
  });

  test('counts down on a terminal', async () => {
    limit(SOON);
    const { code, screen } = await onTerminal(['run', 'it', '--name', 'it', '--wait'], '');
    expect(code).toBe(0);
    expect(screen).toMatch(/waiting until \S+ \S+ UTC\S* \((in \S+|now)\)(?!,)/);
    expect(screen).toContain('the wait is over');
  });

  test('is taken up after its devflow was killed: by --due once it is due, by one of two', async () => {
    limit(SOON);
    const holder = here.start(['run', 'it', '--name', 'it', '--wait']);
    await holder.says('and going on then');
    holder.child.kill('SIGKILL');
    await holder.finished;
    await untilDue('it');
    expect(await statusOf('it')).toMatchObject({
      state: 'due',
      reason: expect.stringContaining('nobody runs it: `devflow resume --due` goes on'),
    });
    const both = await Promise.all([1, 2].map(() => here.devflow(['resume', '--due'])));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(launches()).toBe(2);
    expect(both.filter(({ stdout }) => stdout.includes('completed: run it'))).toHaveLength(1);
    expect(await statusOf('it')).toMatchObject({ state: 'completed', attempts: [{}, {}] });
  });

  test('is left alone by --due before its instant, and so is what was cut off', async () => {
    limit(LATER);
    const holder = here.start(['run', 'it', '--name', 'it', '--wait']);
    await holder.says('and going on then');
    holder.child.kill('SIGKILL');
    await holder.finished;
    const early = await here.devflow(['resume', '--due']);
    expect(early).toMatchObject({ code: 0, stdout: '', stderr: 'no run is due\n' });
    expect(await here.devflow(['resume', 'it', '--due'])).toMatchObject({
      code: 0,
      stderr: 'the run it is not due\n',
    });
    expect(await here.devflow(['resume', '--due', '--quiet'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(launches()).toBe(1);
    expect((await statusOf('it')).state).toBe('waiting');
  });

  test('goes on beside others that are due, each line with its run, and the worst exit code', async () => {
    namesNoAccount();
    limit(SOON, SOON);
    await Promise.all(
      ['one', 'two'].map((name) => here.devflow(['run', 'it', '--quiet', '--name', name])),
    );
    await untilDue('one');
    await untilDue('two');
    limit(LATER);
    const { code, stdout } = await here.devflow(['resume', '--due']);
    expect(code).toBe(3);
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^($|(one|two) {2})/);
    const states = [(await statusOf('one')).state, (await statusOf('two')).state];
    expect(states.toSorted()).toEqual(['completed', 'waiting']);
    expect(launches()).toBe(4);
  });
});

describe('devflow limits', () => {
  const known = () => knownLimits({ env: here.env });

  test('shows what all runs go by', async () => {
    expect((await here.devflow(['limits'])).stdout).toMatch(/^No account is known/);
    await waits('it', LATER);
    const second = await here.devflow(['run', 'it', '--name', 'second']);
    expect(second.code).toBe(3);
    expect(second.stdout.replace(/\s+/g, ' ')).toMatch(
      /as the run "it" in \S+ learned; `devflow limits clear/,
    );
    expect(launches()).toBe(1);
    const [limited] = known();
    const shown = (await here.devflow(['limits'], { cwd: here.directory })).stdout;
    expect(shown).toContain(`limited, subscription  ${limited?.key}\n`);
    expect(shown).toMatch(/not asked until \d{4}.* \(in (59m|1h)/);
  });

  test('forgets what is named, and a person may try at once', async () => {
    await waits('it', LATER);
    const { stdout } = await here.devflow(['limits', '--json']);
    const [limited] = JSON.parse(stdout) as KnownLimit[];
    expect(limited).toMatchObject({ adapter: 'limited', account: 'subscription', state: 'open' });
    const cleared = await here.devflow(['limits', 'clear', limited?.key ?? '']);
    expect(cleared.stdout).toContain('1 limit forgotten');
    expect(known()).toEqual([]);
    expect((await here.devflow(['resume', 'it'])).code).toBe(0);
  });

  test('forgets nothing that was not named', async () => {
    await waits('it', LATER);
    const refused = [[], ['codex'], ['limited', '--all']].map((args) =>
      here.devflow(['limits', 'clear', ...args]),
    );
    expect((await Promise.all(refused)).map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(known()).toHaveLength(1);
    const all = await here.devflow(['limits', 'clear', '--all', '--json']);
    expect(JSON.parse(all.stdout)).toMatchObject([{ adapter: 'limited' }]);
    expect(known()).toEqual([]);
  });
});

describe('docs/waiting.md', () => {
  const file = fileURLToPath(new URL('../../../docs/waiting.md', import.meta.url));
  const text = readFileSync(file, 'utf8');
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
      ([, code = '']) => code,
    );
  const shell = promisify(execFile);

  /** As cron and systemd start it: next to no environment, the repository where the document has it. */
  async function asThere(command: string) {
    const bin = path.join(here.home, '.local/bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(path.join(here.home, 'src'), { recursive: true });
    symlinkSync(PROGRAM, path.join(bin, 'devflow'));
    symlinkSync(process.execPath, path.join(bin, 'node'));
    symlinkSync(here.root, path.join(here.home, 'src/project'));
    return shell('/bin/sh', ['-c', command], {
      cwd: here.home,
      env: { HOME: here.home, PATH: '/usr/bin:/bin', SHELL: '/bin/sh', LOGNAME: 'somebody' },
    });
  }

  const cronLine = () => /^(?:\S+ ){5}(.*)$/m.exec(blocks('crontab')[0] ?? '')?.[1] ?? '';
  const unit = (key: string) =>
    new RegExp(`^${key}=(.*)$`, 'm')
      .exec(blocks('ini')[0] ?? '')?.[1]
      ?.replaceAll('%h', here.home) ?? '';
  const service = () =>
    `cd ${unit('WorkingDirectory')} && ${unit('Environment')} ${unit('ExecStart')}`;
  const job = () =>
    `PATH="$HOME/.local/bin:$PATH"; ${/- run: (.*)$/m.exec(blocks('yaml')[0] ?? '')?.[1] ?? ''}`;

  test.each([
    ['the line for cron', cronLine],
    ['the service for systemd', service],
    ['the job for CI', job],
  ])('shows %s, which goes on with a run that is due', async (_, command) => {
    await waits('it', SOON);
    await untilDue('it');
    const { stdout, stderr } = await asThere(command());
    expect(stdout).toMatch(/completed: run it/);
    expect(`${stdout}${stderr}`).toContain('sandbox: none');
    expect((await statusOf('it')).state).toBe('completed');
  });

  test('shows commands and options that exist', async () => {
    const commands = blocks('sh').flatMap((code) => code.match(/^devflow .*$/gm) ?? []);
    expect(commands.length).toBeGreaterThanOrEqual(5);
    for (const command of commands) {
      const [, words = ''] = /^devflow ((?:limits clear|\w+))/.exec(command) ?? [];
      const { stdout, code } = await here.devflow([...words.split(' '), '--help']);
      expect(code).toBe(0);
      for (const option of command.match(/ --\w+/g) ?? []) expect(stdout).toContain(option);
    }
  });

  test('that was cut off without waiting is left alone, unless that is asked', async () => {
    const go = path.join(here.directory, 'go');
    write({
      'devflow.config.json': JSON.stringify({
        profiles: { slow: { adapter: 'command', command: ['/bin/sh', '-c', waitsFor(go)] } },
        phases: [{ id: 1, name: 'code', agent: 'slow', prompt: 'x', retries: 0 }],
      }),
    });
    const run = here.start(['run', 'it', '--name', 'cut']);
    await agentBegan(go);
    run.child.kill('SIGKILL');
    await run.finished;
    expect((await here.devflow(['resume', '--due'])).stderr).toContain('left alone: cut');
    expect((await here.devflow(['resume', '--interrupted'])).code).toBe(2);
    writeFileSync(go, '');
    expect((await here.devflow(['resume', '--due', '--interrupted'])).code).toBe(0);
    expect((await statusOf('cut')).state).toBe('completed');
  });
});
