import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, commandLine } from './command-line.js';

let here: CommandLine;
beforeAll(async () => {
  here = await commandLine({
    profiles: {
      // The first attempt fails with words that the second one's prompt has.
      planner: scriptedAgent(
        `test -e "$HOME/again" && { ${commitFile('plan.md')}; ${giveAnswer()}; exit; }; touch "$HOME/again"; exit 7`,
      ),
      coder: scriptedAgent('exit 1'),
    },
    phases: [
      { id: 1, name: 'plan', agent: 'planner', prompt: 'Plan {{task}}', retryDelay: '1ms' },
      { id: 2, name: 'code', agent: 'coder', prompt: 'Code' },
    ],
  });
  await here.devflow(['run', 'a flag', '--name', 'one', '--until', 'plan']);
});
afterAll(() => here.remove());

const file = (attempt: number) =>
  path.join(here.root, '.git/devflow/runs/one/01-plan', String(attempt), 'prompt.md');
const kept = (attempt: number) => readFileSync(file(attempt), 'utf8');

test('prompt prints what an attempt was asked, to the letter', async () => {
  const last = await here.devflow(['prompt', 'one', '--phase', 'plan']);
  expect(last).toMatchObject({ code: 0, stdout: kept(2) });
  expect(last.stderr).toBe('one: 1 plan, attempt 2, planner\n');
  expect(last.stdout).toMatch(/^Plan a flag\n[^]*exit 7[^]*DEVFLOW_RESULT/);
  expect((await here.devflow(['prompt', '--phase', '1', '--attempt', '1'])).stdout).toBe(kept(1));
  expect((await here.devflow(['prompt'])).stdout).toBe(kept(2));
});

test('prompt --json says what it belongs to', async () => {
  const { stdout } = await here.devflow(['prompt', 'one', '--attempt', '1', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    run: 'one',
    phase: { id: 1, name: 'plan' },
    attempt: 1,
    agent: 'planner',
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    file: file(1),
    prompt: kept(1),
  });
});

test.each([
  [['--phase', 'code'], 'phase 2 code of the run one has not begun yet'],
  [['--phase', 'paln'], '--phase: there is no phase "paln"'],
  [['--phase', '9'], 'The phases are: 1 plan, 2 code.'],
  [['--attempt', '3'], '--attempt: phase 1 plan of the run one has no attempt 3'],
  [['--attempt', 'x'], '--attempt: expected a number, found "x"'],
])('prompt %j is an error with exit 2: %s', async (args, words) => {
  const { code, stdout, stderr } = await here.devflow(['prompt', 'one', ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.replaceAll(/\n */g, ' ')).toContain(words);
});

test('a prompt that is gone is an error, not an empty text', async () => {
  const there = await commandLine({
    profiles: { coder: scriptedAgent('exit 1') },
    phases: [{ id: 1, name: 'code', agent: 'coder', prompt: 'Code', retries: 0 }],
  });
  try {
    const none = await there.devflow(['prompt']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('there is no run here')]);
    await there.devflow(['run', 'x', '--name', 'one']);
    rmSync(path.join(there.root, '.git/devflow/runs/one/01-code/1/prompt.md'));
    const gone = await there.devflow(['prompt', 'one']);
    expect([gone.code, gone.stdout]).toEqual([1, '']);
    expect(gone.stderr).toContain('the prompt is gone');
  } finally {
    there.remove();
  }
});
