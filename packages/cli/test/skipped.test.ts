import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, commandLine } from './command-line.js';
import { WORKS } from './workflows.js';

describe('a phase that was skipped', () => {
  let here: CommandLine;
  let ran: { readonly code: number | undefined; readonly stdout: string };
  const reason = 'when: phases.code.outcome != "completed" is false';
  const line = `2 mend skipped: ${reason}`;
  beforeAll(async () => {
    here = await commandLine({
      profiles: { coder: scriptedAgent(WORKS) },
      phases: [
        { id: 1, name: 'code', agent: 'coder', prompt: 'Code' },
        {
          id: 2,
          name: 'mend',
          agent: 'coder',
          prompt: 'Mend',
          when: 'phases.code.outcome != "completed"',
        },
      ],
    });
    ran = await here.devflow(['run', 'The task', '--name', 'it']);
  });
  afterAll(() => here.remove());
  const out = async (...args: string[]) => (await here.devflow(args)).stdout;

  test('is told when it is skipped, and in the report', () => {
    expect(ran.code).toBe(0);
    expect(ran.stdout.split(line)).toHaveLength(3);
    expect(ran.stdout).toMatch(/completed: run it[^]*✔ 1 code[^]*\n- 2 mend skipped: /);
  });

  test('is shown by status and list, and in JSON', async () => {
    expect(await out('status', 'it')).toContain(`  - ${line}`);
    expect(await out('status', 'it')).toMatch(/phase {4}2 mend, skipped\n/);
    expect(await out('list')).toMatch(/^it {2}completed {2}2 mend, skipped {2}/);
    const skipped = [{ phase: 2, name: 'mend', reason }];
    expect(JSON.parse(await out('status', 'it', '--json'))).toMatchObject({ skipped });
    expect(JSON.parse(await out('list', '--json'))).toMatchObject([{ skipped }]);
  });

  test('is foreseen by a dry run as a condition', async () => {
    const text = await out('run', 'The task', '--dry-run');
    expect(text).toContain('  when: phases.code.outcome != "completed"');
  });
});
