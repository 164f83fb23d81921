import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { WorkflowDefinition } from '@devflow/core';
import type { DryRun } from '@devflow/core/dry-run';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, PROGRAM, commandLine, parseRun, until } from './command-line.js';
import { WORKS, onePhase, waitsFor } from './workflows.js';

describe('devflow run', () => {
  let here: CommandLine;
  afterEach(() => here.remove());
  const inRepository = async (workflow: WorkflowDefinition) => (here = await commandLine(workflow));

  test('completes: exit 0, and a report that says what was made and how to look at it', async () => {
    await inRepository(
      onePhase(WORKS, { checks: [{ name: 'made it', command: ['test', '-e', 'made.txt'] }] }),
    );
    const { code, stdout } = await here.devflow(['run', 'Make a file', '--name', 'make']);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('sandbox: none — the agent can do whatever you can');
    expect(stdout).toContain('1 code: check "made it" passed');
    expect(stdout).toContain('completed: run make after');
    expect(stdout).toContain('1 commit on devflow/make/work:');
    expect(stdout).toContain('git diff main...devflow/make/work');
    expect(stdout).not.toContain('\u001B');
    expect(await here.git('log', '--format=%s', 'main..devflow/make/work')).toBe('Add made.txt');
  });

  test('that goes wrong exits 1 and says why, and how to go on', async () => {
    await inRepository(
      onePhase(giveAnswer({ status: 'failed', reason: 'the disk is made of cheese' })),
    );
    const { code, stdout } = await here.devflow(['run', 'x', '--name', 'cheese']);
    expect(code).toBe(1);
    expect(stdout).toContain('failed: run cheese after');
    expect(stdout).toContain('the disk is made of cheese');
    expect(stdout).toContain('devflow resume cheese');
    expect(stdout).toMatch(/what it printed: \/.*\/cheese\/01-code\/1\/stdout\.log, stderr\.log\n/);
    expect(stdout).not.toContain('workflow workflow');
  });

  test('whose preflight finds problems exits 4 and tells what to do; resume looks again', async () => {
    await inRepository(
      onePhase(WORKS, {
        preflight: [{ name: 'the key', command: ['test', '-e', '../key'], hint: 'Turn the key.' }],
      }),
    );
    const { code, stdout } = await here.devflow(['run', 'x', '--name', 'keyed']);
    expect(code).toBe(4);
    expect(stdout).toContain('"the key" exit 1');
    expect(stdout.split('Turn the key.')).toHaveLength(2); // once
    expect(stdout).toContain('start a new run');
    expect(stdout).toContain('devflow resume keyed');
    writeFileSync(path.join(here.directory, 'key'), '');
    expect((await here.devflow(['resume'])).code).toBe(0);
  });

  test('with --json prints events and nothing else on stdout, the result last', async () => {
    await inRepository(onePhase(`echo noise; ${WORKS}`));
    const { code, stdout, stderr } = await here.devflow(['run', 'x', '--json']);
    const { events, result } = parseRun(stdout);
    expect(code).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run-started', 'attempt-ended', 'run-ended']),
    );
    expect(result).toMatchObject({ state: 'completed', commits: [{ subject: 'Add made.txt' }] });
    expect(stderr).toBe('sandbox: none — the agent can do whatever you can\n');
  });

  test('with --quiet prints the report only', async () => {
    await inRepository(onePhase(WORKS));
    const { stdout, stderr } = await here.devflow(['run', 'x', '--quiet']);
    expect(stdout).toMatch(/^completed: run /);
    expect(stderr).toBe('sandbox: none — the agent can do whatever you can\n');
  });

  test('takes the task from a file or from standard input, and not from two places', async () => {
    await inRepository(onePhase(WORKS));
    writeFileSync(path.join(here.root, 'task.md'), '\nFrom a file\n');
    const task = async (args: string[], input?: string) => {
      const { stdout } = await here.devflow(
        ['run', '--dry-run', '--json', ...args],
        input === undefined ? {} : { input },
      );
      const { task: found, code } = JSON.parse(stdout) as { task?: string; code?: string };
      return found ?? code;
    };
    expect(await Promise.all([
      task(['--task-file', 'task.md']), task(['-'], 'Piped in\n'), task(['-'], '\n'), task([]),
      task(['x', '--task-file', 'task.md']), task(['--task-file', 'none.md']),
    ])).toEqual(['From a file', 'Piped in', 'TASK_EMPTY', 'TASK_EMPTY', 'OPTION_INVALID', 'OPTION_INVALID']); // prettier-ignore
  });

  test('refuses what it cannot honour with exit 2 and starts nothing', async () => {
    await inRepository(onePhase(WORKS));
    const refused = async (...args: string[]) => {
      const { code, stdout } = await here.devflow(['run', 'x', '--json', ...args]);
      return [code, (JSON.parse(stdout) as { code: string }).code];
    };
    expect(await Promise.all([
      refused('--sandbox', 'srt'), refused('--from', '7'), refused('--base', 'nowhere'), refused('--name', 'a b'),
      refused('--agent', 'nobody'), refused('--cwd', here.directory),
    ])).toEqual([
      [2, 'SANDBOX_UNSUPPORTED'], [2, 'OPTION_INVALID'], [2, 'BASE_NOT_FOUND'], [2, 'OPTION_INVALID'],
      [2, 'OPTION_INVALID'], [2, 'NOT_A_REPOSITORY'],
    ]); // prettier-ignore
    expect(JSON.parse((await here.devflow(['list', '--json'])).stdout)).toEqual([]);
  });

  test('names the option or the run that is wrong, as it can be typed', async () => {
    await inRepository(onePhase(WORKS));
    const said = async (...args: string[]) => (await here.devflow(['run', 'x', ...args])).stderr;
    const agent = await said('--agent', 'scriptd');
    expect(agent).toContain(
      'devflow: --agent: unknown profile or adapter "scriptd"; did you mean "scripted"?',
    );
    expect(agent).not.toContain('devflow init');
    expect(await said('--from', 'cde')).toContain('devflow: --from: there is no phase "cde"');
    await here.devflow(['run', 'x', '--name', 'twice']);
    expect(await said('--name', 'twice')).toContain('`devflow status twice`');
  });

  test('does the phases from --from until --until, with --agent in place of theirs', async () => {
    await inRepository({
      profiles: {
        none: scriptedAgent('exit 3'),
        good: scriptedAgent(`${commitFile('f-$DEVFLOW_PHASE')} ; ${giveAnswer()}`),
      },
      phases: [1, 2, 3]
        .map((id) => ({
          id,
          name: `p${id}`,
          agent: 'none',
          prompt: 'x',
          requires: ['answer'] as const,
        }))
        .map((phase) => ({ ...phase, requires: [...phase.requires] })),
    });
    const { stdout } = await here.devflow([
      'run',
      'x',
      '--json',
      '--from',
      'p2',
      '--until',
      '2',
      '--agent',
      'good',
    ]);
    expect(parseRun(stdout).result.attempts).toMatchObject([
      { phase: 2, agent: 'good', outcome: 'completed' },
    ]);
  });

  test('asks several agents of --agent in their order, and passes --effort on', async () => {
    await inRepository({
      profiles: {
        absent: { adapter: 'command', command: ['no-such-program'] },
        good: scriptedAgent(WORKS),
      },
      phases: [{ id: 1, name: 'code', agent: 'good', prompt: 'x' }],
    });
    const planned = await here.devflow([
      'run',
      'x',
      '--dry-run',
      '--json',
      '--agent',
      'absent, good',
    ]);
    const { phases } = JSON.parse(planned.stdout) as DryRun;
    expect(phases[0]?.agents.map(({ name }) => name)).toEqual(['absent', 'good']);
    const ran = await here.devflow(['run', 'x', '--agent', 'absent,good']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/✔ 1 code {2}good {2}completed/);
    const { stderr } = await here.devflow(['run', 'x', '--effort', 'high']);
    expect(stderr).toMatch(/--effort: "good" takes no effort.*"high"/);
  });

  test('in a pipe that nobody reads to its end does the work and says nothing of it', async () => {
    await inRepository(
      onePhase(
        `i=0; while [ $i -lt 300 ]; do echo "line $i"; i=$((i+1)); sleep 0.001; done; ${WORKS}`,
      ),
    );
    const shell = spawn(
      '/bin/bash',
      ['-c', `node '${PROGRAM}' run x --name piped | head -1; exit \${PIPESTATUS[0]}`],
      {
        cwd: here.root,
        env: here.env,
      },
    );
    let stderr = '';
    shell.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    const code = await new Promise((resolve) => shell.once('close', resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await here.devflow(['status', 'piped', '--json'])).stdout).toContain('"completed"');
  });

  test('on a terminal draws the phases, and leaves plain lines and the report; NO_COLOR and CI are honoured', async () => {
    await inRepository(onePhase(WORKS));
    const colored = await onTerminal(here, 'drawn', {});
    expect(colored.code).toBe(0);
    expect(colored.screen).toContain('\u001B[33msandbox: none');
    expect(colored.screen).toContain('1 code · scripted');
    expect(colored.screen).toContain('1 commit on devflow/drawn/work');
    const plain = await onTerminal(here, 'undrawn', { NO_COLOR: '1' });
    expect(plain.screen).toContain('1 code · scripted');
    // oxlint-disable-next-line no-control-regex -- colours are control sequences
    expect(plain.screen).not.toMatch(/\u001B\[[0-9;]*m/);
    const ci = await onTerminal(here, 'logged', { CI: 'true', NO_COLOR: '1' });
    expect(ci.screen).not.toContain('\u001B');
  });
});

/** Runs it on a pseudo-terminal; its agent goes on once it is seen at work. */
async function onTerminal(here: CommandLine, name: string, env: Record<string, string>) {
  const go = path.join(here.directory, name);
  const config = onePhase(waitsFor(go));
  here.write({ 'devflow.config.json': JSON.stringify(config) });
  const command = `stty cols 60 rows 20; exec node '${PROGRAM}' run x --name ${name}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: here.root,
    env: { ...here.env, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let screen = '';
  terminal.stdout.on('data', (text: Buffer) => (screen += text.toString()));
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  await until(
    () => /scripted.*began/s.test(screen),
    () => screen,
  );
  writeFileSync(go, '');
  return { code: await ended, screen };
}
