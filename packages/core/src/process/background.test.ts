import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../test/rig.js';
import { sourceProgram } from '../../test/source-program.js';
import { exitOf, temporaryDirectory } from '../../test/temporary.js';
import { type Background, startBackground } from './background.js';
import { readProcess } from './identity.js';

interface Given {
  readonly go: string;
}
type Told = { readonly said: string };

/** Says what it was given, then lets go, waits for a file, and writes another. */
const program = sourceProgram(`
  import { existsSync, writeFileSync } from 'node:fs';
  import { starterOf } from 'devflow:process/background';
  const starter = starterOf();
  const given = await starter.given;
  if (given === undefined) process.exit(9);
  process.stdout.write('printed');
  for (let told = 0; told < 50; told += 1) starter.tell({ said: given.go });
  if (!process.argv.includes('--stays')) await starter.letGo();
  if (given.go === '') process.exit(7);
  while (!existsSync(given.go)) await new Promise((resolve) => setTimeout(resolve, 10));
  starter.tell({ said: 'late' });
  writeFileSync(given.go + '.done', String(process.connected));
  process.exit(0);
`);

/** Starts a program in the background, by a process of its own that then waits to be killed. */
const starting = sourceProgram(`
  import { openSync, writeFileSync } from 'node:fs';
  import { startBackground } from 'devflow:process/background';
  const [program, go, pidFile] = process.argv.slice(2);
  const output = openSync(go + '.out', 'a');
  const child = await startBackground([process.execPath, program, '--stays'], { cwd: '/', env: {}, output });
  child.onTold(() => writeFileSync(pidFile, String(child.pid)));
  child.give({ go });
  setInterval(() => undefined, 1000);
`);

async function start(output: string): Promise<Background<Given, Told>> {
  const descriptor = openSync(output, 'a');
  const child = await startBackground<Given, Told>([process.execPath, program()], {
    cwd: '/',
    env: { MARK: 'x' },
    output: descriptor,
  });
  closeSync(descriptor);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await child.ended;
  });
  return child;
}

describe('a program in the background', () => {
  it('has a session of its own, no terminal, no input, and one file for what it prints', async () => {
    const directory = temporaryDirectory();
    const output = path.join(directory, 'out');
    const child = await start(output);
    const told: Told[] = [];
    child.onTold((each) => told.push(each));
    child.give({ go: path.join(directory, 'go') });
    await until(() => told.length === 50);
    const [, , group, session, terminal] = statOf(child.pid);
    expect({ group, session, terminal }).toEqual({
      group: `${child.pid}`,
      session: `${child.pid}`,
      terminal: '0',
    });
    const file = (descriptor: number) => readlinkSync(`/proc/${child.pid}/fd/${descriptor}`);
    expect([file(0), file(1), file(2)]).toEqual(['/dev/null', output, output]);
    expect(readFileSync(output, 'utf8')).toBe('printed');
    expect(readFileSync(`/proc/${child.pid}/environ`, 'utf8')).toContain('MARK=x');
  });

  it('tells how it ended, after all that it told', async () => {
    const child = await start(path.join(temporaryDirectory(), 'out'));
    const told: Told[] = [];
    child.onTold((each) => told.push(each));
    child.give({ go: '' });
    expect(await child.ended).toBe('exit 7');
    expect(told).toHaveLength(50);
    const killed = await start(path.join(temporaryDirectory(), 'out'));
    killed.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
  });

  it('goes on when whoever started it is killed, and what it tells then goes nowhere', async () => {
    const directory = temporaryDirectory();
    const go = path.join(directory, 'go');
    const pidFile = path.join(directory, 'pid');
    const parent: ChildProcess = spawn(process.execPath, [starting(), program(), go, pidFile], {
      stdio: 'ignore',
      detached: true,
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    onTestFinished(() => endIfThere(pid));
    process.kill(-(parent.pid ?? 0), 'SIGKILL'); // the whole group: as a script's
    await exitOf(parent);
    expect(readProcess(pid)?.parent).not.toBe(parent.pid);
    closeSync(openSync(go, 'a'));
    await until(() => readIf(`${go}.done`) === 'false');
  });

  it('that is given nothing before whoever started it goes, ends', async () => {
    const child = await start(path.join(temporaryDirectory(), 'out'));
    child.letGo();
    expect(await child.ended).toBe('exit 9');
  });
});

function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

function readIf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // as it should be
  }
}
