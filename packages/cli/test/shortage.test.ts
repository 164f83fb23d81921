import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type CommandLine,
  commandLine,
  nobodyIsLeft,
  type Started,
  type StartOptions,
  until,
} from './command-line.js';

const DONE = `${commitFile('done.txt')}; ${giveAnswer()}`;
/** Counts its launches outside devflow's state. */
const COUNT = 'echo launched >>"$HOME/launches"';
/** The first says that it is there and works until it is ended. */
const FIRST_WORKS = `${COUNT}; echo working; test -e "$HOME/there" || { touch "$HOME/there"; sleep 600; }; ${DONE}`;

async function place(
  script: string,
  { preflight = [], retries = 0 }: { preflight?: readonly string[]; retries?: number } = {},
): Promise<CommandLine> {
  const phase = { id: 1, name: 'do', prompt: 'Do it.', agent: 'scripted', retries };
  const used = await commandLine({
    profiles: { scripted: scriptedAgent(script) },
    phases: [{ ...phase, preflight: preflight.map((one) => ({ command: ['sh', '-c', one] })) }],
  });
  onTestFinished(() => used.remove());
  return used;
}

/** What comes before a command to run it as that user. */
type User = Pick<StartOptions, 'through'>;

const launches = ({ home }: CommandLine) => {
  const file = path.join(home, 'launches');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};
const isThere = ({ home }: CommandLine, name = 'there') =>
  until(
    () => existsSync(path.join(home, name)),
    () => name,
  );

function limit(
  { child }: Started,
  resource: 'nofile' | 'nproc',
  most: number,
  { through = [] }: User = {},
): void {
  const prlimit = ['prlimit', `--pid=${child.pid}`, `--${resource}=${most}:${most}`];
  const [program = '', ...args] = [...through, ...prlimit];
  execFileSync(program, args);
}

/** The number that the next file which a process opens would get. */
function nextHandle({ child }: Started): number {
  const used = new Set(readdirSync(`/proc/${child.pid}/fd`).map(Number));
  for (let next = 0; ; next += 1) if (!used.has(next)) return next;
}

async function expectCompleted(used: CommandLine, count: number, user: User = {}): Promise<void> {
  await nobodyIsLeft(used.home);
  const { code, stdout, stderr } = await used.devflow(['resume', 'test', '--quiet'], user);
  expect({ code, said: stdout + stderr }).toMatchObject({ code: 0 });
  expect(launches(used)).toBe(count);
  const log = ['-c', 'safe.directory=*', 'log', '--format=%s', 'main..devflow/test/work'];
  expect(await used.git(...log)).toBe('Add done.txt');
}

describe('out of file handles', { timeout: 90_000 }, () => {
  it.each([
    ['in the middle', nextHandle, 0],
    ['so that not even that can be noted', () => 1, 1],
  ])('%s, the agent is ended, and resume comes to the end', async (_, most, retries) => {
    const used = await place(FIRST_WORKS, { retries });
    const running = used.start(['run', 'do it', '--name', 'test']);
    const events = path.join(used.root, '.git/devflow/runs/test/01-do/1/events.jsonl');
    await until(
      () => existsSync(events) && statSync(events).size > 0,
      () => 'what is watched',
    );
    await isThere(used);
    limit(running, 'nofile', most(running));
    const { code, stderr } = await running.finished;
    expect(stderr).toMatch(/no\s+file\s+handle\s+left\s+\(EMFILE/);
    expect(stderr).toMatch(/devflow\s+resume\s+test/);
    expect(code).toBe(1);
    await expectCompleted(used, 2);
  });
});

/**
 * A user of its own, whose processes alone count: what comes before a command. The limit binds root nowhere; another
 * user's own may be counted with it, but are at most too many.
 */
function asNobodyElse({ directory }: CommandLine): User {
  if (process.getuid?.() !== 0) return {};
  const user = 1_000_000 + process.pid; // nobody has it
  execFileSync('chown', ['-R', `${user}:${user}`, directory]);
  const reads = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']; // where this lies may be root's alone
  return { through: ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...reads] };
}

describe('out of processes', { timeout: 90_000 }, () => {
  it('nothing is launched and nothing counted; resume launches it', async () => {
    const wait = 'touch "$HOME/there"; until test -e "$HOME/go"; do sleep 0.02; done';
    const used = await place(`${COUNT}; ${DONE}`, { preflight: [wait] });
    const user = asNobodyElse(used);
    const running = used.start(['run', 'do it', '--name', 'test'], user);
    await isThere(used);
    limit(running, 'nproc', 1, user);
    writeFileSync(path.join(used.home, 'go'), '');
    const { code, stderr } = await running.finished;
    expect(stderr).toMatch(/no\s+process\s+left\s+to\s+give/);
    expect(stderr).toMatch(/devflow\s+resume\s+test/);
    expect(code).toBe(1);
    expect(launches(used)).toBe(0);
    await expectCompleted(used, 1, user);
  });
});
