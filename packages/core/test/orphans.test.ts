import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CleanedRun, clean } from '../src/clean/clean.js';
import { command } from '../src/command/index.js';
import { doctor } from '../src/doctor/doctor.js';
import { lookAtOrphans } from '../src/doctor/orphans.js';
import { findRepository } from '../src/git/repository.js';
import { status, stop } from '../src/index.js';
import { salvaged } from '../src/clean/salvage.js';
import { ownHolder } from '../src/state/lock.js';
import { giveAnswer } from '../src/testing/index.js';
import { kill, runElsewhere } from './holder-process.js';
import { isThere, patient } from './patient-agent.js';
import { type Rig, done, processesOf, rig, scriptedWorkflow, until, worktreeCount } from './rig.js';
import { processForTest } from './temporary.js';

const DEAD = {
  pid: 1,
  startTime: '1',
  bootId: 'before',
  host: hostname(),
  pidNamespace: 'pid:[1]',
};

const gitPath = ({ repository }: Rig, ...names: string[]) =>
  path.join(repository.root, '.git', ...names);
const runPath = (used: Rig, id: string, ...names: string[]) =>
  gitPath(used, 'devflow', 'runs', id, ...names);
const cleanAll = ({ repository: { root: cwd, env } }: Rig, more: object = {}) =>
  clean({ cwd, env, ...more });
const of = (cleaned: readonly CleanedRun[], id: string | undefined) =>
  cleaned.find(({ run }) => run === id);

async function orphansOf({ repository: { root, env } }: Rig) {
  return lookAtOrphans(await findRepository(root, env), env);
}

/** A process as an attempt starts one. */
function markedProcess(used: Rig, runDirectory: string, token: string): number {
  const env = { ...used.repository.env, DEVFLOW_RUN_DIRECTORY: runDirectory };
  return processForTest('sleep', ['61'], {
    env: { ...env, DEVFLOW_ATTEMPT_TOKEN: token },
    detached: true,
  }).pid;
}

const lives = (pid: number) => {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

describe('processes of no living attempt', () => {
  it('that left their session are found by doctor, and ended by clean, once devflow, wrapper and record are gone', async () => {
    const used = await rig();
    const pids = path.join(used.repository.directory, 'pids');
    const child = `trap '' TERM; echo $$ >>'${pids}'; while :; do sleep 0.05; done`;
    const holder = runElsewhere(used, [
      { script: `setsid sh -c "${child.replaceAll('$', '\\$')}" & ${patient(used.repository)}` },
    ]);
    await until(isThere(used));
    await until(() => existsSync(pids) && /^\d+\n$/.test(readFileSync(pids, 'utf8')));
    await kill(holder);
    const claim = readFileSync(path.join(used.attempt('test', '01-step-1', 1), 'claim'), 'utf8');
    const wrapper = Number.parseInt(claim.split('\n')[1] ?? '', 10);
    process.kill(-wrapper, 'SIGKILL');
    const left = Number(readFileSync(pids, 'utf8'));
    // While the run can be gone on with, its attempt is open.
    expect(await orphansOf(used)).toMatchObject({ found: 'none', problems: [] });
    rmSync(runPath(used, 'test'), { recursive: true });

    const { root: cwd, env } = used.repository;
    const asked = { cwd, env, adapters: [command()] };
    const findings = await doctor(scriptedWorkflow([{ script: done }]), asked);
    const found = findings.find(({ what }) => what === 'orphans');
    expect(found?.problems).toMatchObject([
      {
        code: 'ORPHAN_PROCESSES',
        message: expect.stringMatching(
          new RegExp(
            `run test started lives on, although its run is gone: .*process ${left} \\(sh`,
          ),
        ) as string,
      },
    ]);
    const planned = of(await cleanAll(used, { dryRun: true }), 'test');
    expect(planned?.removed.join('\n')).toContain(`process ${left} (sh`);
    expect(lives(left)).toBe(true);
    const cleaned = of(await cleanAll(used), 'test');
    expect(cleaned?.removed.join('\n')).toContain(`process ${left} (sh`);
    expect(lives(left)).toBe(false);
    expect(processesOf(used.repository.directory)).toEqual([]);
    expect((await orphansOf(used)).problems).toEqual([]);
  });

  it('of a run that has ended are ended although the run is not named, and the run stays', async () => {
    const used = await rig();
    await used.run([{ script: giveAnswer({ status: 'failed' }) }]);
    const pid = markedProcess(used, runPath(used, 'test'), 'left');
    expect((await orphansOf(used)).problems[0]?.message).toContain('although its run is failed');
    const cleaned = of(await cleanAll(used), 'test');
    expect(cleaned?.removed).toEqual([`process ${pid} (sleep 61)`]);
    expect(lives(pid)).toBe(false);
    expect(existsSync(runPath(used, 'test', 'journal.jsonl'))).toBe(true);
  });

  it('of an earlier attempt of a run that was cut off are ended; its agent works on', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository) }]);
    await until(isThere(used));
    const early = markedProcess(used, runPath(used, 'test'), 'earlier');
    expect((await orphansOf(used)).problems).toEqual([]); // its holder lives
    expect(of(await cleanAll(used), 'test')?.removed).toEqual([]);
    await kill(holder);
    const { root: cwd, env } = used.repository;
    const cleaned = of(await cleanAll(used), 'test');
    expect(cleaned?.removed).toEqual([`process ${early} (sleep 61)`]);
    expect(cleaned?.kept[0]?.why).toContain('it is interrupted');
    expect(await status('test', { cwd, env })).toMatchObject({
      state: 'interrupted',
      agentLives: true,
    });
    await stop('test', { cwd, env });
  });

  it('that devflow started for itself are ended once it is dead, and never while it lives', async () => {
    const used = await rig();
    await used.run([{ script: giveAnswer({ status: 'failed' }) }]);
    const env = { ...used.repository.env, DEVFLOW_HELPER_OF: runPath(used, 'test') };
    const { pid } = processForTest('sleep', ['61'], { env, detached: true });
    writeFileSync(runPath(used, 'test', 'lock'), JSON.stringify(ownHolder()));
    expect((await orphansOf(used)).problems).toEqual([]);
    rmSync(runPath(used, 'test', 'lock'));
    expect(of(await cleanAll(used), 'test')?.removed).toEqual([`process ${pid} (sleep 61)`]);
    expect(lives(pid)).toBe(false);
  });

  it('are ours only where they name a run of this repository and an attempt', async () => {
    const [used, other] = [await rig(), await rig()];
    const bare = processForTest('sleep', ['61'], {
      env: { ...used.repository.env, DEVFLOW_RUN_DIRECTORY: runPath(used, 'gone') },
    });
    const foreign = markedProcess(used, runPath(other, 'gone'), 'left');
    const elsewhere = markedProcess(used, path.join(used.repository.root, 'gone'), 'left');
    await until(() => [bare.pid, foreign, elsewhere].every(lives));
    expect(await orphansOf(used)).toMatchObject({ found: 'none', problems: [], notes: [] });
    expect(await cleanAll(used)).toEqual([]);
    expect([bare.pid, foreign, elsewhere].map(lives)).toEqual([true, true, true]);
    for (const pid of [bare.pid, foreign, elsewhere]) process.kill(pid, 'SIGKILL');
  });

  it('from which this devflow was started are not ended by it', async () => {
    const used = await rig();
    const { directory, root, env } = used.repository;
    const built = fileURLToPath(new URL('../dist/clean/clean.js', import.meta.url));
    const program = path.join(directory, 'clean.mjs');
    const options = JSON.stringify({ cwd: root, env });
    writeFileSync(
      program,
      `import { clean } from ${JSON.stringify(built)}; process.send(await clean(${options}));`,
    );
    const sibling = markedProcess(used, runPath(used, 'gone'), 'left');
    const marked = { DEVFLOW_RUN_DIRECTORY: runPath(used, 'gone'), DEVFLOW_ATTEMPT_TOKEN: 'left' };
    const child: ChildProcess = fork(program, { env: { ...env, ...marked } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const cleaned = await new Promise<CleanedRun[]>((resolve) =>
      child.once('message', (message) => resolve(message as CleanedRun[])),
    );
    const { removed = [], kept = [] } = of(cleaned, 'gone') ?? {};
    expect(removed).toEqual([]);
    expect(kept.map(({ what }) => what).join('\n')).toContain(`process ${sibling} (sleep 61)`);
    expect(kept[0]?.why).toBe(`this devflow was started from process ${child.pid}`);
    expect(lives(sibling)).toBe(true);
    process.kill(sibling, 'SIGKILL');
  });
});

describe('what is left of a run whose record is gone', () => {
  const gone = async (script = done) => {
    const used = await rig();
    const { worktree = '' } = await used.run([{ script }], {
      workflow: { worktree: { keep: 'always' } },
    });
    rmSync(runPath(used, 'test'), { recursive: true });
    return { used, worktree, git: used.repository.git };
  };

  it('is told by doctor, and removed where it is safe', async () => {
    const { used, worktree, git } = await gone();
    await git('worktree', 'add', '--quiet', '--detach', '--lock', '--reason', 'devflow run test, review', `${worktree}.review-1-1`); // prettier-ignore
    await git('merge', '--quiet', 'devflow/test/work');
    const found = await orphansOf(used);
    expect(found.problems).toEqual([]);
    expect(found.notes.join('\n')).toContain(`worktree ${worktree}`);
    expect(found.notes.join('\n')).toContain('branch devflow/test/work');
    const planned = await cleanAll(used, { dryRun: true });
    expect(existsSync(worktree)).toBe(true);
    expect(await cleanAll(used)).toEqual(planned);
    expect(of(planned, 'test')).toMatchObject({
      removed: [
        `review worktree ${worktree}.review-1-1`,
        `worktree ${worktree}`,
        'branch devflow/test/work',
      ],
      kept: [],
    });
    expect(await worktreeCount(used.repository)).toBe(1);
    expect(await git('branch', '--format=%(refname:short)')).toBe('main');
    expect(existsSync(runPath(used, 'test'))).toBe(false);
    expect(await orphansOf(used)).toMatchObject({ found: 'none' });
  });

  it('is kept where it is not, and goes by force once it is saved', async () => {
    const { used, worktree, git } = await gone(`${done}; echo precious >precious.txt`);
    const kept = of(await cleanAll(used), 'test');
    expect(kept?.removed).toEqual([]);
    expect(kept?.kept.map(({ why }) => why)).toEqual([
      'not committed there: precious.txt',
      `it is checked out at ${worktree}`,
    ]);
    const { root: cwd, env } = used.repository;
    const forced = of(await cleanAll(used, { force: true }), 'test');
    expect(forced?.kept).toEqual([]);
    expect(existsSync(worktree)).toBe(false);
    expect(await salvaged({ cwd, env })).toHaveLength(2);
    expect(await git('show', 'refs/devflow/salvage/test/1:precious.txt')).toBe('precious');
    expect(await git('show', 'refs/devflow/salvage/test/2:done.txt')).toBe('content');
  });

  it('does not include what devflow did not make', async () => {
    const { used, worktree, git } = await gone();
    await git('merge', '--quiet', 'devflow/test/work');
    const place = path.dirname(worktree);
    await git('worktree', 'add', '--quiet', '--lock', '-b', 'devflow/mine/work', path.join(place, 'mine')); // prettier-ignore
    await git('worktree', 'add', '--quiet', '--detach', `${worktree}.review-mine`);
    await git('branch', 'devflow/other/work');
    await git('branch', 'devflow-mine');
    mkdirSync(path.join(place, 'a directory'));
    const cleaned = await cleanAll(used);
    expect(cleaned.map(({ run }) => run)).toEqual(['test', undefined]);
    expect(of(cleaned, undefined)).toMatchObject({
      removed: [],
      kept: [{ what: `directory ${path.join(place, 'a directory')}` }],
    });
    expect((await git('branch', '--format=%(refname:short)')).split('\n')).toEqual([
      'devflow-mine',
      'devflow/mine/work',
      'devflow/other/work',
      'main',
    ]);
    for (const name of ['mine', 'test.review-mine', 'a directory'])
      expect(existsSync(path.join(place, name))).toBe(true);
  });

  it('is not touched while somebody begins a run of that name', async () => {
    const { used, worktree, git } = await gone();
    await git('merge', '--quiet', 'devflow/test/work');
    mkdirSync(runPath(used, 'test'), { recursive: true });
    writeFileSync(runPath(used, 'test', 'lock'), JSON.stringify(ownHolder()));
    expect(await cleanAll(used)).toEqual([]);
    expect(await orphansOf(used)).toMatchObject({ found: 'none' });
    expect(existsSync(worktree)).toBe(true);
  });
});

describe('what a devflow that died left', () => {
  it('of a start is removed: the directory without a definition, with its lock', async () => {
    const used = await rig();
    mkdirSync(runPath(used, 'cut', 'inbox'), { recursive: true });
    writeFileSync(runPath(used, 'cut', 'lock'), JSON.stringify(DEAD));
    expect((await orphansOf(used)).notes.join('\n')).toContain(runPath(used, 'cut'));
    expect(of(await cleanAll(used), 'cut')?.kept).toEqual([]);
    expect(existsSync(runPath(used, 'cut'))).toBe(false);
  });

  it('in the place of the lock on the repository is removed; that of the living is not', async () => {
    const used = await rig();
    const lock = gitPath(used, 'devflow', 'worktrees.lock');
    mkdirSync(path.dirname(lock));
    writeFileSync(lock, JSON.stringify(ownHolder()));
    expect(await cleanAll(used)).toEqual([]);
    expect(existsSync(lock)).toBe(true);
    writeFileSync(lock, JSON.stringify(DEAD));
    expect((await orphansOf(used)).notes.join('\n')).toContain(`the lock ${lock} is of a dead`);
    await cleanAll(used, { dryRun: true });
    expect(existsSync(lock)).toBe(true);
    expect(of(await cleanAll(used), undefined)?.removed).toEqual([`stale lock ${lock}`]);
    expect(existsSync(lock)).toBe(false);
  });
});
