import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunStatus } from '@devflow/core/status';
import { budgetIn } from '../src/budget.js';
import { budgetFlag, budgetLines } from '../src/text/budget.js';
import { type CommandLine, commandLine, parseRun } from './command-line.js';
import { WORKS, onePhase, waitsFor } from './workflows.js';

describe('--budget', () => {
  test.each([
    ['usd=5', { usd: 5 }],
    ['usd=0.5, tokens=200000,wallClock=2h', { usd: 0.5, tokens: 200_000, wallClock: '2h' }],
    ['usd=5,enforce=between-attempts', { usd: 5, enforce: 'between-attempts' }],
    // Refused by the core, which says what is expected.
    ['usd=five', { usd: 'five' }],
    ['5', { 5: '' }],
    ['usd=1,usd=2', { usd: '1 and 2' }],
    ['usd=-1', { usd: '-1' }],
    ['wallClock=a=b', { wallClock: 'a=b' }],
  ])('"%s" is read as it is', (flag, budget) => {
    expect(budgetIn(flag)).toEqual({ budget });
  });

  test('is no budget where it is left out', () => {
    expect(budgetIn(undefined)).toEqual({});
  });
});

describe('budgets in words', () => {
  const figures = (spent: number | null) => ({
    limit: { usd: 5 },
    spent: { usd: spent },
    uncounted: 0,
  });

  test('name the phase where it is one of a phase', () => {
    const phaseBudgets = { 2: figures(null) };
    expect(budgetLines({ budget: figures(0.42), phaseBudgets })).toEqual([
      '$0.42 of $5.00',
      'phase 2: unknown of $5.00',
    ]);
    expect(budgetLines({})).toEqual([]);
  });

  test('say how to go on only where one is used up or not known', () => {
    expect(budgetFlag({ budget: figures(4.99) })).toBe('');
    expect(budgetFlag({ budget: figures(5) })).toBe(' --budget usd=…');
    expect(budgetFlag({ phaseBudgets: { 1: figures(null) } })).toBe(' --budget usd=…');
    const limit = { tokens: 1, wallClockMs: 1 };
    const all = { limit, spent: { tokens: 1, wallClockMs: 2 }, uncounted: 0 };
    expect(budgetFlag({ budget: all })).toBe(' --budget tokens=…,wallClock=…');
  });
});

describe('a run with a budget', () => {
  let here: CommandLine;
  let go: string;
  beforeAll(async () => {
    here = await commandLine();
    go = path.join(here.directory, 'go');
    const phase = { requires: ['answer', 'commit', 'clean'] as const };
    const workflow = onePhase(waitsFor(go, WORKS), { ...phase, requires: [...phase.requires] });
    writeFileSync(path.join(here.root, 'devflow.config.json'), JSON.stringify(workflow));
    await here.git('add', '--all');
    await here.git('commit', '--quiet', '--message', 'Configure');
  });
  afterAll(() => here.remove());

  test('is refused with all that is wrong with the budget, and by its option', async () => {
    const wrong = await here.devflow(['run', 'x', '--budget', 'usd=five,token=1']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('devflow: --budget: that is no budget');
    expect(wrong.stderr).toContain('usd: expected a number, found "five"');
    expect(wrong.stderr).toContain('token: unknown key; did you mean "tokens"?');
    const blind = await here.devflow(['run', 'x', '--budget', 'usd=5']);
    expect(blind.code).toBe(2);
    expect(blind.stderr).toContain('--budget: "scripted" does not state what it costs');
  });

  test('ends at it, says so everywhere, and goes on when more is allowed', async () => {
    const ended = await here.devflow(['run', 'x', '--name', 'it', '--budget', 'wallClock=100ms']);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toMatch(/^failed: run it/m);
    expect(ended.stdout).toContain('the budget of the run is used up');
    expect(ended.stdout).toMatch(/^budget: \S+ of 0\.1s$/m);
    expect(ended.stdout).toContain('devflow resume it --budget wallClock=…');

    const shown = await here.devflow(['status', 'it']);
    expect(shown.stdout).toMatch(/^ {2}budget +\S+ of 0\.1s$/m);
    expect(shown.stdout).toContain('next: devflow resume it --budget wallClock=…');
    const json = await here.devflow(['status', 'it', '--json']);
    const { budget } = JSON.parse(json.stdout) as RunStatus;
    expect(budget?.limit).toEqual({ wallClockMs: 100 });
    expect(budget?.spent.wallClockMs).toBeGreaterThanOrEqual(100);

    const little = await here.devflow(['resume', 'it', '--budget', 'wallClock=101ms']);
    expect(little.code).toBe(2);
    expect(little.stderr).toContain('devflow: --budget: the budget of the run is used up:');
    writeFileSync(go, '');
    const more = await here.devflow(['resume', 'it', '--budget', 'wallClock=1h', '--json']);
    expect(parseRun(more.stdout).result).toMatchObject({
      state: 'completed',
      budget: { limit: { wallClockMs: 3_600_000 }, uncounted: 0 },
    });
  });

  test('shows it in a dry run', async () => {
    const { stdout } = await here.devflow(['run', 'x', '--dry-run', '--budget', 'wallClock=2h']);
    expect(stdout).toContain('budget of the run: 2h');
  });
});
