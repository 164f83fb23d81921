import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunExplanation } from '@devflow/core';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, commandLine } from './command-line.js';

describe('devflow explain', () => {
  let here: CommandLine;
  beforeAll(async () => {
    here = await commandLine({
      profiles: { coder: scriptedAgent(`${commitFile('made.txt')}; ${giveAnswer()}`) },
      phases: [
        { id: 1, name: 'code', agent: 'coder', prompt: 'Code' },
        {
          id: 2,
          name: 'prove',
          agent: 'coder',
          prompt: 'Prove',
          retries: 0,
          requires: ['answer', 'checks', 'files'],
          checks: [{ name: 'proof', command: ['false'] }],
          files: ['made.txt'],
        },
        { id: 3, name: 'tell', agent: 'coder', prompt: 'Tell' },
      ],
    });
    await here.devflow(['run', 'It', '--name', 'it']);
  });
  afterAll(() => here.remove());

  test('says of every phase what it is, by its evidence, and what would change it', async () => {
    const { stdout, code } = await here.devflow(['explain', 'it']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^it {2}failed\n\n1 code is complete\n/);
    expect(stdout).toContain('  yes      git: 1 commit since the phase began\n');
    expect(stdout).toContain(
      '2 prove is not complete\n  Attempt 1, by coder, ended as rejected.\n',
    );
    expect(stdout).toContain('  yes      files: made.txt is there\n');
    expect(stdout).toContain('  no       checks: check "proof" failed (exit 1)\n');
    expect(stdout).toContain(
      '  what would change it:\n  - These checks pass: "proof".\n  - `devflow resume it` makes another attempt.\n',
    );
    expect(stdout).toContain('3 tell is not reached\n  It has not begun.\n');
  });

  test('is of one phase, by number or name, and of the last run where none is named', async () => {
    const [byNumber, byName] = await Promise.all(
      ['2', 'prove'].map((phase) => here.devflow(['explain', '--phase', phase])),
    );
    expect(byNumber?.stdout).toBe(byName?.stdout);
    expect(byName?.stdout).toContain('2 prove is not complete');
    expect(byName?.stdout).not.toContain('1 code');
  });

  test('is JSON too', async () => {
    const { stdout } = await here.devflow(['explain', 'it', '--phase', 'prove', '--json']);
    const { id, state, phases } = JSON.parse(stdout) as RunExplanation;
    expect([id, state]).toEqual(['it', 'failed']);
    expect(phases).toMatchObject([{ phase: { id: 2, name: 'prove' }, standing: 'not-complete' }]);
    expect(phases[0]?.reasons.map(({ evidence, says }) => `${evidence} ${says}`)).toEqual([
      'process yes',
      'agent yes',
      'answer yes',
      'files yes',
      'checks no',
    ]);
  });

  test('of a phase or a run that is not there is an error', async () => {
    const phase = await here.devflow(['explain', 'it', '--phase', 'shipping']);
    expect(phase.code).toBe(2);
    expect(phase.stderr).toContain('The phases are: 1 code, 2 prove, 3 tell.');
    expect((await here.devflow(['explain', 'nobody'])).code).toBe(2);
  });

  test('status and report name each ground with its evidence, for every attempt', async () => {
    const { stdout } = await here.devflow(['status', 'it']);
    expect(stdout).toMatch(/1 code, attempt 1, coder: completed.*\n {4}yes: process: /);
    expect(stdout).toContain('    checks: check "proof" failed (exit 1)\n    yes: process: ');
    const report = await here.devflow(['attach', 'it']);
    expect(report.stdout).toContain(
      '    checks: check "proof" failed (exit 1)\n    yes: process: ',
    );
  });
});
