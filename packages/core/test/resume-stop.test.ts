import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { listRuns, status, stop } from '../src/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import {
  type Rig,
  type ScriptedPhase,
  expectError,
  expectNothingLeft,
  outcomes,
  processesOf,
  rig,
  scriptedWorkflow,
  until,
} from './rig.js';

const built = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A devflow in a process of its own, which can be killed. */
function runElsewhere({ repository }: Rig, phases: readonly ScriptedPhase[]): ChildProcess {
  const program = path.join(repository.directory, 'holder.mjs');
  const options = {
    task: 'add a greeting',
    name: 'test',
    cwd: repository.root,
    env: repository.env,
  };
  writeFileSync(
    program,
    `import { run } from ${JSON.stringify(built)};
     import { command } from ${JSON.stringify(built.replace('index.js', 'command/index.js'))};
     await run(${JSON.stringify(scriptedWorkflow(phases))}, { ...${JSON.stringify(options)}, adapters: [command()] });`,
  );
  const child = fork(program, { stdio: 'inherit', env: repository.env });
  children.push(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

/** An agent that counts its launches, says that it is there, and waits to be let go. */
function patient(
  repository: Rig['repository'],
  after = `${commitFile('done.txt')}; ${giveAnswer()}`,
): string {
  const at = (name: string) => `'${path.join(repository.directory, name)}'`;
  return `echo launched >>${at('launches')}; touch ${at('there')}; until test -e ${at('go')}; do sleep 0.02; done; ${after}`;
}

const launches = ({ repository }: Rig) =>
  readFileSync(path.join(repository.directory, 'launches'), 'utf8').trim().split('\n').length;
const isThere =
  ({ repository }: Rig) =>
  () =>
    existsSync(path.join(repository.directory, 'there'));
const letGo = ({ repository }: Rig) => writeFileSync(path.join(repository.directory, 'go'), '');

describe('after kill -9 of devflow', () => {
  it('the agent works on, status says interrupted, and resume follows it without launching it again', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository) }]);
    await until(isThere(used));
    await kill(holder);
    const { root: cwd, env } = used.repository;
    expect(await status('test', { cwd, env })).toMatchObject({ state: 'interrupted' });
    expect(await listRuns({ cwd, env })).toMatchObject([{ id: 'test', state: 'interrupted' }]);
    const resumed = used.resume('test');
    await until(() =>
      used.events.some((event) => event.type === 'attempt-started' && event.adopted),
    );
    letGo(used);
    const result = await resumed;
    expect(result.state).toBe('completed');
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add done.txt']);
    expect(launches(used)).toBe(1);
    await expectNothingLeft(used);
  });

  it('resume judges what an agent left that ended unseen', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository) }]);
    await until(isThere(used));
    await kill(holder);
    letGo(used);
    await until(() => existsSync(path.join(used.attempt('test', '01-step-1', 1), 'exit')));
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    expect(launches(used)).toBe(1);
  });

  it('an intent that nobody claimed is launched, once', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository) }]);
    await until(isThere(used));
    await kill(holder);
    const { root: cwd, env } = used.repository;
    await stop('test', { cwd, env });
    // As it is when devflow dies between the intent and the launch.
    const directory = used.attempt('test', '01-step-1', 1);
    for (const name of ['claim', 'exit', 'stdout.log', 'stderr.log'])
      rmSync(path.join(directory, name), { recursive: true, force: true });
    letGo(used);
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    expect(launches(used)).toBe(2);
    expect(used.journal('test').filter(({ type }) => type === 'attempt-intended')).toHaveLength(1);
  });

  it('a wrapper that is gone without a status makes the attempt crashed, not done', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository), retries: 0 }]);
    await until(isThere(used));
    await kill(holder);
    const owner = readFileSync(path.join(used.attempt('test', '01-step-1', 1), 'claim'), 'utf8');
    process.kill(Number.parseInt(owner.split('\n')[1] ?? '', 10), 'SIGKILL');
    const result = await used.resume('test');
    expect(outcomes(result)).toEqual(['1 crashed']);
    expect(processesOf(used.repository.directory)).toEqual([]);
  });

  it.each([
    ['before the worktree is filled', '"worktree-adding"'],
    ['before the phase is entered', '"preflight"'],
    ['before the attempt', '"phase-entered"'],
    ['before the verdict', '"attempt-intended"'],
    ['before the end', '"attempt-ended"'],
  ])('%s, resume comes to the same end', async (_, last) => {
    const used = await rig();
    const script = `test -e done.txt || { ${commitFile('done.txt')}; }; ${giveAnswer()}`;
    const { base, worktree = '' } = await used.run([{ script }], {
      workflow: { worktree: { keep: 'always' } },
    });
    // Before the agent began, it had committed nothing.
    if (last !== '"attempt-intended"' && last !== '"attempt-ended"')
      await used.repository.git('-C', worktree, 'reset', '--quiet', '--hard', base);
    const journal = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    const cut = lines.findIndex((line) => line.includes(`"type":${last}`));
    writeFileSync(journal, `${lines.slice(0, cut + 1).join('\n')}\n{"v":1,"seq":`);
    const result = await used.resume('test');
    expect(result.state).toBe('completed');
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add done.txt']);
    expect(
      used.events.some(
        (event) => event.type === 'note' && event.text.includes('not written whole'),
      ),
    ).toBe(true);
  });
});

describe('resume', () => {
  it('looks again at what stood in the way', async () => {
    const used = await rig();
    const flag = path.join(used.repository.directory, 'flag');
    const phase = {
      script: `${commitFile('a')}; ${giveAnswer()}`,
      preflight: [{ name: 'flag', command: ['test', '-e', flag], hint: 'touch it' }],
    };
    const first = await used.run([phase]);
    expect(first).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(first.problems).toEqual([
      { code: 'PREFLIGHT_COMMAND_FAILED', message: '"flag" exit 1', hint: 'touch it' },
    ]);
    writeFileSync(flag, '');
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });

  it('tries a failed run again, with the total that never resets', async () => {
    const used = await rig();
    const script = `if test -e "$HOME/mended"; then ${commitFile('a')}; ${giveAnswer()}; fi`;
    expect(await used.run([{ script }])).toMatchObject({ state: 'failed' });
    writeFileSync(path.join(used.repository.home, 'mended'), '');
    const result = await used.resume('test');
    expect(result.state).toBe('completed');
    expect(outcomes(result)).toEqual(['1 incomplete', '1 completed']);
  });

  it('is a newer word than a stop that was asked of a holder before it died', async () => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    const inbox = path.join(used.repository.root, '.git/devflow/runs/test/inbox');
    writeFileSync(path.join(inbox, 'stop-x.json'), '{}');
    expect(outcomes(await used.resume('test'))).toEqual(['1 failed', '1 failed']);
  });

  it('goes on after a devflow that died between a stop and its record', async () => {
    const used = await rig();
    const controller = new AbortController();
    const running = used.run([{ script: patient(used.repository) }], { signal: controller.signal });
    await until(isThere(used));
    controller.abort();
    await running;
    const journal = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines.at(-1)).toContain('run-ended');
    writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`);
    letGo(used);
    expect(outcomes(await used.resume('test'))).toEqual(['1 stopped', '1 completed']);
  });

  it('refuses a run that is completed, one that is held, and one that is not there', async () => {
    const used = await rig();
    await used.run([{ script: `${commitFile('a')}; ${giveAnswer()}` }]);
    await expectError(used.resume('test'), 'RUN_FINISHED', /is completed/);
    await expectError(used.resume('other'), 'RUN_NOT_FOUND', /no run "other"/);
    const other = await rig();
    const running = other.run([{ script: patient(other.repository) }]);
    await until(isThere(other));
    await expectError(other.resume('test'), 'RUN_HELD', /held by process/);
    letGo(other);
    expect(await running).toMatchObject({ state: 'completed' });
    expect(launches(other)).toBe(1);
  });

  it('stops at a journal line that it cannot read, and destroys nothing', async () => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    const journal = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    const broken = lines.with(2, lines[2]?.slice(0, 20) ?? '').join('\n');
    writeFileSync(journal, broken);
    await expectError(used.resume('test'), 'JOURNAL_CORRUPT', /journal\.jsonl, line 3/);
    expect(readFileSync(journal, 'utf8')).toBe(broken);
    writeFileSync(journal, lines.with(2, '{"v":2,"seq":3,"type":"x"}').join('\n'));
    await expectError(used.resume('test'), 'JOURNAL_NEWER', /format 2/);
  });

  it('says so when the branch was moved to where the work is no longer part of it', async () => {
    const used = await rig();
    const result = await used.run([{ script: `${commitFile('a')}; exit 1` }]);
    await used.repository.git('-C', result.worktree ?? '', 'reset', '--quiet', '--hard', 'HEAD~1');
    const resumed = await used.resume('test');
    expect(resumed.problems.map(({ code }) => code)).toEqual(['BRANCH_MOVED']);
  });

  it('refuses hooks that have changed, until that is accepted', async () => {
    const used = await rig();
    const phase = { script: `${commitFile('a')}; ${giveAnswer()}`, preflight: [{ hook: 'ready' }] };
    const no = () => [{ code: 'NOT_YET', message: 'not yet', hint: 'wait' }];
    expect(await used.run([phase], { hooks: { ready: no } })).toMatchObject({
      state: 'waiting',
      problems: no(),
    });
    const yes = () => undefined;
    await expectError(used.resume('test', { hooks: { ready: yes } }), 'CODE_CHANGED', /ready/);
    await expectError(used.resume('test'), 'HOOK_MISSING', /ready/);
    expect(
      await used.resume('test', { hooks: { ready: yes }, acceptCode: true } as never),
    ).toMatchObject({ state: 'completed' });
  });
});

describe('stop', () => {
  const escapee = `setsid sh -c 'sh -c "trap : TERM; while :; do sleep 0.05; done"' </dev/null >/dev/null 2>&1 &`;

  it('ends the agent and a grandchild in a session of its own, by the holder', async () => {
    const used = await rig();
    const running = used.run([{ script: `${escapee} ${patient(used.repository)}` }]);
    await until(isThere(used));
    const { root: cwd, env } = used.repository;
    expect(await stop('test', { cwd, env })).toMatchObject({ state: 'stopped' });
    expect(processesOf(used.repository.directory)).toEqual([]);
    expect(outcomes(await running)).toEqual(['1 stopped']);
    expect(await stop('test', { cwd, env })).toMatchObject({ state: 'stopped' });
  });

  it('does the same where the holder is dead', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: `${escapee} ${patient(used.repository)}` }]);
    await until(isThere(used));
    await kill(holder);
    const { root: cwd, env } = used.repository;
    expect(await stop('test', { cwd, env })).toMatchObject({ state: 'stopped' });
    expect(processesOf(used.repository.directory)).toEqual([]);
  });

  it('comes from a signal too, and leaves the checkout as it is', async () => {
    const used = await rig();
    const controller = new AbortController();
    const running = used.run([{ script: `echo half >half.txt; ${patient(used.repository)}` }], {
      signal: controller.signal,
    });
    await until(isThere(used));
    controller.abort();
    const result = await running;
    expect(result.state).toBe('stopped');
    expect(readFileSync(path.join(result.worktree ?? '', 'half.txt'), 'utf8')).toBe('half\n');
    letGo(used);
    const resumed = await used.resume('test');
    expect(outcomes(resumed)).toEqual(['1 stopped', '1 completed']);
  });

  it('ends a check that runs', async () => {
    const used = await rig();
    const controller = new AbortController();
    const flag = path.join(used.repository.directory, 'checking');
    const check = {
      command: [
        'sh',
        '-c',
        `touch '${flag}'; test -e '${path.join(used.repository.directory, 'pass')}' || sleep 300`,
      ],
    };
    const running = used.run([{ script: `${commitFile('a')}; ${giveAnswer()}`, checks: [check] }], {
      signal: controller.signal,
    });
    await until(() => existsSync(flag));
    controller.abort();
    expect(await running).toMatchObject({ state: 'stopped' });
    expect(processesOf(used.repository.directory)).toEqual([]);
    writeFileSync(path.join(used.repository.directory, 'pass'), '');
    const resumed = await used.resume('test');
    expect(outcomes(resumed)).toEqual(['1 completed']);
  });
});
