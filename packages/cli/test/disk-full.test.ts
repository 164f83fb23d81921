import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CommandLine, type Finished, commandLine, until } from './command-line.js';
import { type MountNamespace, mountNamespace } from './namespace.js';

/** More than a page: what is written of it later needs room of its own. */
const LONG = 'seq 1 1500';

interface Small extends CommandLine {
  readonly namespace: MountNamespace;
  run(...args: readonly string[]): Promise<Finished>;
  /** Takes every byte that is left. */
  fill(): void;
  free(): void;
}

/** A repository whose git directory lies on a disk of its own that holds little. */
async function smallRepository(script: string, preflight: readonly string[] = []): Promise<Small> {
  const phase = { id: 1, name: 'do', prompt: 'Do it.', agent: 'scripted', retries: 0 };
  const used = await commandLine({
    profiles: { scripted: scriptedAgent(script) },
    phases: [{ ...phase, preflight: preflight.map((one) => ({ command: ['sh', '-c', one] })) }],
  });
  onTestFinished(() => used.remove());
  const namespace = await mountNamespace();
  const git = path.join(used.root, '.git');
  const copy = path.join(used.directory, 'git');
  namespace.sh(
    `cp -a '${git}' '${copy}'; mount -t tmpfs -o size=2m none '${git}'; cp -a '${copy}/.' '${git}'`,
  );
  const filling = path.join(git, 'filling');
  return {
    ...used,
    namespace,
    run: (...args) => used.devflow(args, { through: namespace.enter(used.root) }),
    fill: () => namespace.sh(`cat /dev/zero >'${filling}' 2>/dev/null || true`),
    free: () => namespace.sh(`rm '${filling}'`),
  };
}

const launches = ({ directory }: Small) => {
  const file = path.join(directory, 'launches');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};

/** Nothing is half-written: every line of the journal is whole, and no file is left that was to be renamed. */
function expectWhole({ namespace, root }: Small): void {
  const runs = namespace.path(path.join(root, '.git', 'devflow', 'runs'));
  const names = readdirSync(runs, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  for (const name of names.filter((one) => path.basename(one) === 'journal.jsonl')) {
    const text = readFileSync(path.join(runs, name), 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    for (const line of text.trim().split('\n')) JSON.parse(line);
  }
}

function expectFull({ code, stderr }: Finished): void {
  expect(stderr).toMatch(/the\s+disk\s+is\s+full\s+\(ENOSPC/);
  expect(stderr).toMatch(/Free\s+some\s+space,\s+then/);
  expect(code).toBe(1);
}

async function expectCompleted(small: Small): Promise<void> {
  const { code, stderr } = await small.run('resume', 'test', '--quiet');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(launches(small)).toBe(1);
  const log = small.namespace.sh(
    `git -c safe.directory='*' -C '${small.root}' log --format=%s main..devflow/test/work`,
  );
  expect(log).toBe('Add done.txt\n');
  expectWhole(small);
}

/** Counts its launches outside devflow's state. */
const counted = (more: string) => `echo launched >>"$HOME/../launches"; ${more}`;

describe('on a disk that is full', { timeout: 90_000 }, () => {
  it('no run starts, nothing is left of it, and its name is free once there is room', async () => {
    const small = await smallRepository(counted(`${commitFile('done.txt')}; ${giveAnswer()}`));
    small.fill();
    const failed = await small.run('run', 'do it', '--name', 'test');
    expectFull(failed);
    expect(launches(small)).toBe(0);
    expect(small.namespace.sh(`find '${small.root}/.git/devflow' -type f`)).toBe('');
    small.free();
    const { code } = await small.run('run', 'do it', '--name', 'test', '--quiet');
    expect(code).toBe(0);
    expectWhole(small);
  });

  it('nothing is launched; with room again it is, once', async () => {
    const small = await smallRepository(counted(`${commitFile('done.txt')}; ${giveAnswer()}`), [
      `test -e "$HOME/room" || cat /dev/zero >"$(git rev-parse --git-common-dir)/filling" 2>/dev/null || true`,
    ]);
    expectFull(await small.run('run', 'do it', '--name', 'test'));
    expectWhole(small);
    expect(launches(small)).toBe(0);
    expectFull(await small.run('resume', 'test')); // still
    writeFileSync(path.join(small.home, 'room'), '');
    small.free();
    await expectCompleted(small);
  });

  it('what an agent did is judged once there is room, and it is not launched again', async () => {
    const small = await smallRepository(
      counted(
        `${LONG}; ${commitFile('done.txt')}; touch "$HOME/there"; until test -e "$HOME/go"; do sleep 0.02; done; ${giveAnswer()}`,
      ),
    );
    const running = small.run('run', 'do it', '--name', 'test');
    await until(
      () => existsSync(path.join(small.home, 'there')),
      () => 'the agent',
    );
    small.fill();
    writeFileSync(path.join(small.home, 'go'), '');
    expectFull(await running);
    expectWhole(small);
    small.free();
    await expectCompleted(small);
  });
});

describe('on a disk that is read-only', { timeout: 90_000 }, () => {
  it('no run starts, none is resumed, and it is said why', async () => {
    const small = await smallRepository(counted(`${commitFile('done.txt')}; ${giveAnswer()}`), [
      'test -e "$HOME/room"',
    ]);
    const git = path.join(small.root, '.git');
    const remount = (how: string) => small.namespace.sh(`mount -o remount,${how} '${git}'`);
    expect((await small.run('run', 'do it', '--name', 'test')).code).toBe(4);
    writeFileSync(path.join(small.home, 'room'), '');
    remount('ro');
    for (const args of [
      ['resume', 'test'],
      ['run', 'do it', '--name', 'other'],
    ]) {
      const { code, stderr } = await small.run(...args);
      expect(stderr).toMatch(
        /the\s+file\s+system\s+is\s+read-only\s+\(EROFS.*\nMake\s+it\s+writable/s,
      );
      expect(code).toBe(1);
    }
    remount('rw');
    await expectCompleted(small);
  });
});
