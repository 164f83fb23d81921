import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const demo = fileURLToPath(new URL('demo.js', import.meta.url));

function runDemo(...flags: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [demo, ...flags],
      { env: { ...process.env, CI: '1' } },
      (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : 0,
          output: stdout + stderr,
        }),
    );
  });
}

const leftovers = () =>
  readdirSync(os.tmpdir()).filter((name) => name.startsWith('devflow-hello-'));

it('goes back for what its validation finds, completes, and leaves nothing', async () => {
  const { code, output } = await runDemo();
  expect(output).toMatch(/^sandbox: none/m);
  expect(output).toMatch(/4 validate.*rejected/);
  expect(output).toMatch(/3 commits on devflow\/hello\/work/);
  expect(output).toMatch(/Greet the world where there is no name/);
  expect(code).toBe(0);
});

it('fails when the agent skips the fix', async () => {
  const { code, output } = await runDemo('--skip-fix');
  expect(output.replace(/\s+/g, ' ')).toMatch(/still finds gaps after going back 2 times/);
  expect(code).toBe(1);
});

it('keeps its repository only when it is asked to, and says so', async () => {
  const before = leftovers();
  const removed = await runDemo('--skip-fix');
  expect(leftovers().filter((name) => !before.includes(name))).toEqual([]);
  expect(removed.output).toContain('it is removed at the end; --keep keeps it');
  expect(removed.output).toMatch(/To look at it: npm run demo -- --keep\n$/);
  const kept = await runDemo('--keep');
  const [, repository = ''] = /Kept: cd (.*)\n$/.exec(kept.output) ?? [];
  expect(existsSync(path.join(repository, '.git'))).toBe(true);
  rmSync(path.dirname(repository), { recursive: true });
}, 60_000);
