import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WorkflowDefinition } from '@devflow/core';
import { scriptedAgent } from '@devflow/core/testing';
import { type CommandLine, commandLine, nobodyIsLeft, until } from './command-line.js';

let here: CommandLine;
beforeEach(async () => {
  here = await commandLine();
});
afterEach(() => here.remove());

function use(conditions: readonly string[]): void {
  const workflow: WorkflowDefinition = {
    profiles: { scripted: scriptedAgent('true') },
    phases: conditions.map((condition, index) => ({
      id: index + 1,
      name: `step-${index + 1}`,
      agent: 'scripted',
      prompt: 'Do it',
      preflight: [{ name: 'ready', command: ['sh', '-c', condition], hint: 'Get ready.' }],
    })),
  };
  here.write({ 'devflow.config.json': JSON.stringify(workflow) });
}

test('preflight shows all problems by phase, exits 4, and starts nothing', async () => {
  use(['true', 'echo no key; exit 2', 'true', 'exit 9']);
  const { code, stdout, stderr } = await here.devflow(['preflight']);
  expect([code, stderr]).toEqual([4, '']);
  expect(stdout).toMatch(/^✔ repository +ready\n/);
  expect(stdout).toMatch(/^✔ 1 step-1, 3 step-3 +ready for scripted\n/m);
  expect(stdout).toMatch(
    /^✖ 2 step-2 +not ready\n +"ready" exit 2: no key \(PREFLIGHT_.*\n +→ Get/m,
  );
  expect(stdout).toMatch(/^✖ 4 step-4 /m);
  expect(stdout).toMatch(/\n2 problems to solve\.\n$/);
  expect(existsSync(path.join(here.root, '.git', 'devflow'))).toBe(false);
});

test('preflight exits 0 where nothing stands in the way, also of a part', async () => {
  use(['true', 'exit 1']);
  const part = await here.devflow(['preflight', '--phase', 'step-1']);
  expect(part.code).toBe(0);
  expect(part.stdout).toContain('Nothing stands in the way.');
  expect((await here.devflow(['preflight', '--until', '1'])).code).toBe(0);
  expect((await here.devflow(['preflight', '--from', '2'])).code).toBe(4);
});

test('preflight --json has the problems of each phase', async () => {
  use(['exit 1', 'true']);
  const { code, stdout } = await here.devflow(['preflight', '--json']);
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'preflight',
    v: 1,
    repository: { problems: [] },
    phases: [
      {
        id: 1,
        name: 'step-1',
        problems: [{ code: 'PREFLIGHT_COMMAND_FAILED', hint: 'Get ready.' }],
      },
      { id: 2, name: 'step-2', agent: 'scripted', problems: [] },
    ],
  });
});

test('preflight with wrong words is an error with exit 2', async () => {
  use(['true']);
  const { code, stderr } = await here.devflow(['preflight', '--phase', 'ship']);
  expect(code).toBe(2);
  expect(stderr).toContain('--phase: there is no phase "ship"');
});

test.each([
  ['a preflight', 'Ctrl-C', ['preflight'], 'SIGINT'],
  ['a preflight', 'SIGTERM', ['preflight'], 'SIGTERM'],
  ['a dry run', 'Ctrl-C', ['run', 'x', '--dry-run'], 'SIGINT'],
  ['a dry run', 'SIGTERM', ['run', 'x', '--dry-run'], 'SIGTERM'],
] as const)('%s that is ended by %s leaves no process', async (_, __, args, signal) => {
  const began = path.join(here.directory, 'began');
  use([`echo $$ > '${began}'; sleep 1000`]);
  const { child, finished } = here.start(args);
  await until(
    () => existsSync(began),
    () => 'the condition',
  );
  child.kill(signal);
  expect(await finished).toMatchObject({ code: 130, stdout: '' });
  await nobodyIsLeft(here.home);
});
