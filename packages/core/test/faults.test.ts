import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { clean } from '../src/clean/clean.js';
import { type OnRunEvent, currentRuns } from '../src/index.js';
import { findRepository } from '../src/git/repository.js';
import type { Cleaning } from '../src/clean/cleaning.js';
import { cleanWorktree } from '../src/clean/leftovers.js';
import type { RunDefinition } from '../src/state/definition.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import {
  type Rig,
  type ScriptedPhase,
  expectError,
  expectNothingLeft,
  outcomes,
  processesOf,
  rig,
  until,
  worktreeCount,
} from './rig.js';

const done = `cat >/dev/null; ${commitFile('done.txt')}; ${giveAnswer()}`;
const idle: ScriptedPhase = { script: giveAnswer(), requires: ['answer'] };

const runsOf = ({ repository }: Rig) => path.join(repository.root, '.git', 'devflow', 'runs');

function definitionOf(used: Rig, run_: string): RunDefinition {
  return JSON.parse(
    readFileSync(path.join(runsOf(used), run_, 'run.json'), 'utf8'),
  ) as RunDefinition;
}

function broken(): never {
  throw new Error('broken pipe');
}

describe('a listener', () => {
  it.each<[string, OnRunEvent]>([
    ['throws', broken],
    ['rejects', (): unknown => Promise.reject(new Error('broken pipe'))],
  ])('that %s ends no run: it is reported when the run is over', async (_, onEvent) => {
    const used = await rig();
    await expect(used.run([{ script: done }], { onEvent })).rejects.toThrow('broken pipe');
    expect(used.journal('test').at(-1)).toMatchObject({ type: 'run-ended', state: 'completed' });
    await expectNothingLeft(used);
  });

  it('that throws while a run is resumed is reported too', async () => {
    const used = await rig();
    const preflight = [{ command: ['test', '-e', path.join(used.repository.directory, 'open')] }];
    await used.run([{ script: done, preflight }]);
    writeFileSync(path.join(used.repository.directory, 'open'), '');
    await expect(used.resume('test', { onEvent: broken })).rejects.toThrow('broken pipe');
    expect(used.journal('test').at(-1)).toMatchObject({ type: 'run-ended', state: 'completed' });
  });
});

describe('a run that could not begin', () => {
  it('leaves nothing, and its name can be used again', async () => {
    const used = await rig();
    mkdirSync(path.join(runsOf(used), 'test'), { recursive: true });
    writeFileSync(path.join(runsOf(used), 'test', 'inbox'), 'in the way');
    await expectError(used.run([{ script: done }]), 'STATE_UNWRITABLE', /inbox: .* a file/);
    await expectNothingLeft(used);
    expect(await used.run([{ script: done }])).toMatchObject({ state: 'completed' });
  });

  it.each([
    ['devflow', /devflow.*: something on that path is a file/],
    [path.join('devflow', 'runs'), /runs.*: something on that path is a file/],
  ])('because .git/%s is a file says so', async (name, sentence) => {
    const used = await rig();
    const file = path.join(used.repository.root, '.git', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
    await expectError(used.run([{ script: done }]), 'STATE_UNWRITABLE', sentence);
  });

  it('because the directory is a file says so', async () => {
    const used = await rig();
    const cwd = path.join(used.repository.root, 'README.md');
    await expectError(used.run([{ script: done }], { cwd }), 'NOT_A_REPOSITORY', /is no directory/);
  });

  it('because worktrees would go below a file says so', async () => {
    const used = await rig();
    const env = { ...used.repository.env, XDG_STATE_HOME: '/dev/null' };
    const { state, problems } = await used.run([{ script: done }], { env });
    expect(state).toBe('waiting');
    expect(problems).toMatchObject([
      { code: 'WORKTREE_PLACE_UNUSABLE', message: expect.stringContaining('/dev/null is no dir') },
    ]);
  });

  it('because a pipe is to be copied says so', async () => {
    const used = await rig();
    await used.repository.commit({ '.gitignore': 'pipe\n' });
    execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: used.repository.root });
    const result = await used.run([{ script: done }], {
      workflow: { worktree: { copy: ['pipe'] } },
    });
    expect(result.problems).toMatchObject([
      { code: 'WORKTREE_COPY_FAILED', message: expect.stringContaining('"pipe" cannot be copied') },
    ]);
  });
});

describe('a checkout that takes long', () => {
  it('ends when the run is stopped, and resume makes it anew', async () => {
    const used = await rig();
    const slow = path.join(used.repository.directory, 'slow');
    writeFileSync(slow, '');
    await used.repository.commit({ '.gitattributes': 'big filter=slow\n', big: 'content\n' });
    await used.repository.git(
      'config',
      'filter.slow.smudge',
      `if test -e '${slow}'; then sleep 41; fi; cat`,
    );
    const stop = new AbortController();
    const stopped = used.run([{ script: done }], { signal: stop.signal });
    const isSleep = (pid: number) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === 'sleep\u000041\u0000';
      } catch {
        return false; // it went in between
      }
    };
    const sleeps = () => processesOf(used.repository.directory).some(isSleep);
    await until(sleeps);
    stop.abort();
    expect(await stopped).toMatchObject({ state: 'stopped' });
    await until(() => processesOf(used.repository.directory).length === 0);
    rmSync(slow);
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    await expectNothingLeft(used);
  });
});

describe("a review's checkout", () => {
  it.each([
    ['is damaged', 'rm .git'],
    ['is taken away', 'gone=$PWD; cd /; rm -r "$gone"'],
  ])('that %s by the reviewer goes all the same', async (_, damage) => {
    const used = await rig();
    const result = await used.run([
      { script: done },
      { script: `${damage}; ${giveAnswer()}`, mode: 'review' },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    await expectNothingLeft(used);
  });

  it.each([
    ['is damaged', (directory: string) => rmSync(path.join(directory, '.git'))],
    ['is taken away', (directory: string) => rmSync(directory, { recursive: true })],
  ])('that %s and was left by a crash is cleaned up', async (_, damage) => {
    const used = await rig();
    const { root, env, git } = used.repository;
    await used.run([idle]);
    const directory = path.join(definitionOf(used, 'test').worktrees, 'test.review-1-1');
    await git(
      'worktree',
      'add',
      '--quiet',
      '--detach',
      '--lock',
      '--reason',
      'devflow run test, review',
      directory,
    );
    damage(directory);
    expect(await clean({ cwd: root, env })).toMatchObject([{ run: 'test', kept: [] }]);
    expect(await worktreeCount(used.repository)).toBe(1);
  });
});

describe('cleaning up', () => {
  it('goes on with other runs where one cannot be cleaned up', async () => {
    const used = await rig();
    const { root, env } = used.repository;
    await used.run([idle], { name: 'bad' });
    await used.run([idle], { name: 'good' });
    writeFileSync(path.join(root, '.git', 'refs', 'heads', 'devflow', 'bad', 'work.lock'), '');
    const cleaned = new Map((await clean({ cwd: root, env })).map((one) => [one.run, one]));
    expect(cleaned.get('bad')?.kept).toMatchObject([
      { what: 'branch devflow/bad/work', why: expect.stringContaining('work.lock') },
      { what: expect.stringContaining('record ') },
    ]);
    expect(cleaned.get('good')?.kept).toEqual([]);
  });

  it('finds nothing wrong with a worktree that is gone by now', async () => {
    const used = await rig();
    const { root, env } = used.repository;
    await used.run([idle]);
    const definition = definitionOf(used, 'test');
    const directory = path.join(definition.worktrees, 'test');
    const detached = { reason: undefined, head: undefined, branch: undefined };
    const cleaning: Cleaning = {
      repository: await findRepository(root, env),
      definition,
      options: { cwd: root, env },
      goneRefs: new Set(),
      worktrees: new Map([[directory, { directory, ...detached }]]),
      hiding: undefined,
      removed: [],
      saved: [],
      kept: [],
    };
    await cleanWorktree(cleaning);
    expect(cleaning.kept).toEqual([]);
  });
});

describe('the current runs', () => {
  it('are shown although the journal of one cannot be read', async () => {
    const used = await rig();
    const shut = { ...idle, preflight: [{ command: ['false'] }] };
    await used.run([shut], { name: 'bad' });
    await used.run([shut], { name: 'good' });
    writeFileSync(path.join(runsOf(used), 'bad', 'journal.jsonl'), 'no JSON\n');
    const { root, env } = used.repository;
    const states = (await currentRuns({ cwd: root, env })).map(({ id, state }) => `${id} ${state}`);
    expect(states.toSorted()).toEqual(['bad unreadable', 'good waiting']);
  });
});

describe('a run whose worktree and branch are gone', () => {
  it('names its last commit, and how both are put back', async () => {
    const used = await rig();
    const { root, git } = used.repository;
    const open = path.join(used.repository.directory, 'open');
    const blocked = await used.run([
      { script: done },
      { ...idle, preflight: [{ command: ['test', '-e', open] }] },
    ]);
    writeFileSync(open, '');
    await git('worktree', 'remove', '--force', '--force', blocked.worktree ?? '');
    await git('branch', '-D', 'devflow/test/work');
    const again = await used.resume('test');
    const hint = again.problems[0]?.hint ?? '';
    expect(again.problems[0]?.code).toBe('WORKTREE_MISSING');
    expect(hint).toContain(`git branch devflow/test/work ${blocked.head}`);
    execFileSync('sh', ['-c', hint.slice(hint.indexOf('git branch'))], {
      cwd: root,
      stdio: 'ignore',
    });
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });
});
