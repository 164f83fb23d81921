import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../src/command/index.js';
import { run } from '../src/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import type { WorkflowDefinition } from '../src/workflow/schema.js';
import { type Rig, expectError, expectNothingLeft, outcomes, rig, until } from './rig.js';

const done = `cat >/dev/null; ${commitFile('done.txt')}; ${giveAnswer()}`;

/** Nothing of a run that could not begin: no state, no branch, no worktree. */
async function expectUntouched(used: Rig): Promise<void> {
  await expectNothingLeft(used);
  const { repository } = used;
  expect(await repository.git('branch', '--list', 'devflow/*')).toBe('');
  expect(readdirSync(path.join(repository.root, '.git'))).not.toContain('devflow');
  expect(readdirSync(repository.home)).toEqual([]);
}

describe('a configuration', () => {
  it('is refused with all its problems at once, each with what is expected', async () => {
    const used = await rig();
    const workflow = {
      fases: [],
      phases: [
        { id: 2, name: 'plan', prompt: 'a', timout: '5m' },
        { id: 2, name: 'plan', prompt: 'a', timeout: 'soon', retries: -1 },
        { id: 1, name: 'Code', prompt: '{{taks}}', mode: 'play' },
      ],
    } as unknown as WorkflowDefinition;
    const error = await expectError(
      run(workflow, {
        task: 't',
        cwd: used.repository.root,
        env: used.repository.env,
        adapters: [command()],
      }),
      'CONFIG_INVALID',
      /problems/,
    );
    expect(error.problems.join('\n')).toMatch(/^fases: unknown key; did you mean "phases"\?$/m);
    expect(error.problems.join('\n')).toMatch(
      /^phases\[0\]\.timout: unknown key; did you mean "timeout"\?$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[1\]\.timeout: expected a duration such as .*, found "soon"$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[1\]\.retries: expected 0 or more, found -1$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[2\]\.name: expected a name of lower-case .*, found "Code"$/m,
    );
    expect(error.problems.join('\n')).toMatch(
      /^phases\[2\]\.mode: expected "work" or "review", found "play"$/m,
    );
    await expectUntouched(used);
  });

  it.each([
    [
      'ids that do not ascend',
      [{ id: 2 }, { id: 1 }],
      /phases\[1\]\.id: expected a number above 2, found 1/,
    ],
    [
      'ids that are twice there',
      [{ id: 1 }, { id: 1 }],
      /phases\[1\]\.id: expected a number above 1, found 1/,
    ],
    [
      'a missing prompt file',
      [{ prompt: undefined, promptFile: 'no.md' }],
      /phases\[0\]\.promptFile: .*no\.md does not exist/,
    ],
    [
      'an unknown variable',
      [{ prompt: '{{taks}}' }],
      /unknown variable \{\{taks\}\}; did you mean "task"\?/,
    ],
    [
      'an unknown agent',
      [{ agent: 'agent-x' }],
      /phases\[0\]\.agent: unknown profile or adapter "agent-x"; did you mean "agent-1"\?/,
    ],
  ])('is refused with %s', async (_, phases, sentence) => {
    const used = await rig();
    const scripted = phases.map((phase) => ({ script: done, ...phase })) as Parameters<
      typeof used.run
    >[0];
    await expectError(used.run(scripted), 'CONFIG_INVALID', sentence);
    await expectUntouched(used);
  });
});

describe('options', () => {
  it.each([
    ['an empty task', { task: ' \n' }, 'TASK_EMPTY', /the task is empty/],
    [
      'a first phase that is not there',
      { from: 9 },
      'OPTION_INVALID',
      /from: there is no phase "9"/,
    ],
    [
      'a last phase that is not there',
      { until: 'stpe-1' },
      'OPTION_INVALID',
      /until: there is no phase "stpe-1"/,
    ],
    [
      'a base that does not exist',
      { base: 'no-such-branch' },
      'BASE_NOT_FOUND',
      /"no-such-branch" names no commit/,
    ],
    [
      'a base that looks like an option',
      { base: '--all' },
      'BASE_NOT_FOUND',
      /"--all" names no commit/,
    ],
    ['a name that is no name', { name: '../x' }, 'OPTION_INVALID', /"\.\.\/x" cannot name a run/],
    ['an environment without HOME', { env: { PATH: '/bin' } }, 'ENVIRONMENT_INCOMPLETE', /HOME/],
    ['an environment without PATH', { env: { HOME: '/tmp' } }, 'ENVIRONMENT_INCOMPLETE', /PATH/],
    ['an unknown agent', { agent: 'nobody' }, 'CONFIG_INVALID', /"nobody"/],
  ])('are refused with %s', async (_, options, code, sentence) => {
    const used = await rig();
    await expectError(used.run([{ script: done }], options), code, sentence);
    await expectUntouched(used);
  });

  it('are refused with the name of a run that exists, which stays as it is', async () => {
    const used = await rig();
    const first = await used.run([{ script: done }]);
    const before = used.journal('test');
    await expectError(used.run([{ script: done }]), 'RUN_EXISTS', /there is a run "test" already/);
    expect(used.journal('test')).toEqual(before);
    expect(await used.repository.git('rev-parse', 'devflow/test/work')).toBe(first.head);
  });
});

describe('a repository', () => {
  it('has to be one', async () => {
    const used = await rig();
    await expectError(
      used.run([{ script: done }], { cwd: used.repository.home }),
      'NOT_A_REPOSITORY',
      /is in no git repository/,
    );
    await expectError(
      used.run([{ script: done }], { cwd: '/no/such/place' }),
      'NOT_A_REPOSITORY',
      /does not exist/,
    );
    await expectError(
      used.run([{ script: done }], { cwd: path.join(used.repository.root, '.git') }),
      'NOT_A_REPOSITORY',
      /inside a git directory/,
    );
    await expectUntouched(used);
  });

  it('needs a commit', async () => {
    const used = await rig({ files: {} });
    await expectError(used.run([{ script: done }]), 'NO_COMMITS', /has no commit yet/);
  });

  it('must not be bare', async () => {
    const used = await rig();
    const bare = path.join(used.repository.directory, 'bare.git');
    await used.repository.git('clone', '--quiet', '--bare', '.', bare);
    await expectError(
      used.run([{ script: done }], { cwd: bare }),
      'BARE_REPOSITORY',
      /is a bare repository/,
    );
  });

  it('may have a detached HEAD', async () => {
    const used = await rig();
    await used.repository.git('checkout', '--quiet', '--detach');
    expect(await used.run([{ script: done }])).toMatchObject({ state: 'completed' });
    await expectNothingLeft(used);
  });

  it.each([
    ['with spaces'],
    [`it's "quoted"`],
    ['ünïcödé 漢字'],
    ['a\nnewline'],
    ['$(touch x) `y` ;z'],
  ])('may lie in a directory called %j', async (name) => {
    const used = await rig({ name });
    const copy = { worktree: { copy: ['.env'], setup: [{ command: ['test', '-e', '.env'] }] } };
    await used.repository.commit({ '.gitignore': '.env\n' });
    used.repository.write({ '.env': 'A=1\n' });
    const review = `test -e done.txt && ${giveAnswer()}`;
    const result = await used.run([{ script: done }, { script: review, mode: 'review' }], {
      workflow: copy,
    });
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    await expectNothingLeft(used);
  });

  it('may be reached by symbolic links, and so may the place for worktrees', async () => {
    const used = await rig();
    const link = (name: string, to: string) => {
      symlinkSync(to, path.join(used.repository.directory, name));
      return path.join(used.repository.directory, name);
    };
    const env = { ...used.repository.env, HOME: link('home-link', used.repository.home) };
    const cwd = link('link', used.repository.root);
    const review = `test -e done.txt && ${giveAnswer()}`;
    const result = await used.run([{ script: done }, { script: review, mode: 'review' }], {
      cwd,
      env,
    });
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
    await expectNothingLeft(used);
  });

  it('is the one of the directory, whatever GIT_DIR says', async () => {
    const used = await rig();
    const other = await rig();
    const env = {
      ...used.repository.env,
      GIT_DIR: path.join(other.repository.root, '.git'),
      GIT_WORK_TREE: other.repository.root,
    };
    expect(await used.run([{ script: done }], { env })).toMatchObject({ state: 'completed' });
    await expectUntouched(other);
  });

  it('may be a linked worktree of one', async () => {
    const used = await rig();
    const linked = path.join(used.repository.directory, 'linked');
    await used.repository.git('worktree', 'add', '--quiet', '-b', 'side', linked);
    expect(await used.run([{ script: done }], { cwd: linked })).toMatchObject({
      state: 'completed',
    });
    await used.repository.git('worktree', 'remove', linked);
    await expectNothingLeft(used);
  });
});

describe('an agent', () => {
  const cases: readonly [string, string, string, RegExp][] = [
    [
      'prints nothing',
      commitFile('a'),
      '1 incomplete',
      /does not end as this agent ends its turns/,
    ],
    ['exits 0 with no commit', giveAnswer(), '1 no-change', /no commit since the phase began/],
    ['exits 1 after it said success', `${done}; exit 1`, '1 failed', /exit 1/],
    [
      'says why on its standard error',
      `echo 'boom: no key' >&2; exit 3`,
      '1 failed',
      /exit 3: boom: no key/,
    ],
    [
      'gives an answer that is none',
      `${commitFile('a')}; echo 'DEVFLOW_RESULT: {status: success}'`,
      '1 incomplete',
      /ends its turns/,
    ],
    ['exits 137', `${done}; exit 137`, '1 crashed', /exit 137 or SIGKILL/],
    ['is killed', 'kill -9 $$', '1 crashed', /exit 137 or SIGKILL/],
    [
      'says that it failed',
      `${commitFile('a')}; ${giveAnswer({ status: 'failed', reason: 'too hard' })}`,
      '1 failed',
      /"failed": too hard/,
    ],
    [
      'declines',
      giveAnswer({ status: 'declined', reason: 'done already' }),
      '1 declined',
      /"declined": done already/,
    ],
    [
      'echoes its prompt',
      `${commitFile('a')}; cat`,
      '1 incomplete',
      /does not end as this agent ends its turns/,
    ],
    [
      'commits on another branch',
      `git switch -qc other; ${commitFile('a')}; ${giveAnswer()}`,
      '1 rejected',
      /is on other, not on devflow/,
    ],
    [
      'rewrites what was there',
      `git commit -q --amend -m other; ${giveAnswer()}`,
      '1 rejected',
      /no longer part of the branch/,
    ],
    [
      'leaves its work uncommitted',
      `echo x >a; ${giveAnswer()}`,
      '1 incomplete',
      /1 path not committed: a/,
    ],
    [
      'removes its worktree',
      `rm -rf "$PWD"; ${giveAnswer()}`,
      '1 incomplete',
      /git could not be asked/,
    ],
    [
      'commits nothing but an empty commit',
      `git commit -q --allow-empty -m done; ${giveAnswer()}`,
      '1 no-change',
      /change nothing/,
    ],
    [
      'hides a change as assumed unchanged',
      `${commitFile('a')}; echo secret >README.md; git update-index --assume-unchanged README.md; ${giveAnswer()}`,
      '1 incomplete',
      /not committed: README\.md/,
    ],
    [
      'hides a change as outside a sparse checkout',
      `${commitFile('a')}; echo secret >README.md; git update-index --skip-worktree README.md; ${giveAnswer()}`,
      '1 incomplete',
      /not committed: README\.md/,
    ],
    [
      'hides a file from git',
      `${commitFile('a')}; echo x >new; echo new >>"$(git rev-parse --git-common-dir)/info/exclude"; ${giveAnswer()}`,
      '1 rejected',
      /what git is told not to show/,
    ],
    ['gives no verdict', done, '1 incomplete', /gave no verdict/],
  ];
  it.each(cases)('that %s has not completed the phase', async (name, script, outcome, sentence) => {
    const used = await rig();
    const requires = name === 'gives no verdict' ? { requires: ['verdict' as const] } : {};
    const result = await used.run([{ script, ...requires }]);
    expect(outcomes(result)).toEqual([outcome]);
    expect(result.state).toBe('failed');
    expect(result.reason).toMatch(sentence);
  });

  it('that makes its worktree one of another repository has not completed the phase', async () => {
    const used = await rig();
    const other = '"$HOME/other"';
    const script = `git clone -q "$(git rev-parse --git-common-dir)" ${other} && cp -r . "$HOME/tree"
      cd ${other} && git config user.name X && git config user.email x@example.com && git switch -qc devflow/test/work
      ${commitFile('forged')}; cd "$PWD/../.local/state/devflow/worktrees/"*/test
      echo content >forged; echo "gitdir: $HOME/other/.git" >.git; git status --short; ${giveAnswer()}`;
    const result = await used.run([{ script }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(result.reason).toMatch(/no worktree of this repository any more/);
    expect(result.commits).toEqual([]);
  });

  it('that is not installed stops the run before anything is made', async () => {
    const used = await rig();
    const workflow = {
      profiles: { 'agent-1': { adapter: 'command', command: ['no-such-agent'] } },
    };
    const result = await used.run([{ script: '' }], { workflow });
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(result.problems).toEqual([
      {
        code: 'AGENT_NOT_FOUND',
        message: expect.stringMatching(/"no-such-agent" is not in the PATH/),
        hint: expect.stringMatching(/Install it/),
      },
    ]);
    expect(await used.repository.git('branch', '--list', 'devflow/*')).toBe('');
    await expectNothingLeft(used);
  });

  it('that takes in what somebody else committed has made no commit', async () => {
    const used = await rig();
    const flag = path.join(used.repository.directory, 'merged');
    const script = `touch '${flag}'; until git merge -q --ff-only main && test -e other; do sleep 0.02; done; ${giveAnswer()}`;
    const running = used.run([{ script }]);
    await until(() => existsSync(flag));
    await used.repository.commit({ other: 'x' }, 'By somebody else');
    const result = await running;
    expect(outcomes(result)).toEqual(['1 no-change']);
    expect(result.commits).toEqual([]);
  });

  it('whose hidden child commits while the checks run is not completed', async () => {
    const used = await rig();
    const hidden = `env -i PATH="$PATH" HOME="$HOME" setsid -f sh -c 'until test -e "$HOME/checking"; do sleep 0.02; done; git commit -q --allow-empty -m sneaky; touch "$HOME/done"' </dev/null >/dev/null 2>&1`;
    const check = {
      command: [
        'sh',
        '-c',
        'touch "$HOME/checking"; until test -e "$HOME/done"; do sleep 0.02; done',
      ],
    };
    const result = await used.run([
      {
        script: `${commitFile('a')}; ${hidden}; ${giveAnswer()}`,
        checks: [{ ...check, timeout: '5s' }],
      },
    ]);
    // It was either seen and ended, so that the check waits in vain and is stopped by its limit, or noticed by what it did.
    expect(result.state).toBe('failed');
    expect(result.reason).toMatch(/somebody committed while the checks ran|timed out/);
  });

  it('whose work lies in a repository within its checkout keeps its worktree', async () => {
    const used = await rig();
    const nested = `git init -q app; echo c >app/m; git -C app add -A; git -C app -c user.name=a -c user.email=a@b.c commit -qm real; git add -A 2>/dev/null; git commit -qm work`;
    const result = await used.run([{ script: `${nested}; ${giveAnswer()}` }]);
    expect(result.state).toBe('completed');
    expect(readFileSync(path.join(result.worktree ?? '', 'app', 'm'), 'utf8')).toBe('c\n');
  });

  it('that undoes what an earlier phase did stops the run, and its report names no commit that is gone', async () => {
    const used = await rig();
    const undo = `git reset -q --hard HEAD~1; ${commitFile('two')}; ${giveAnswer()}`;
    const result = await used.run([
      { script: `${commitFile('one')}; ${giveAnswer()}` },
      { script: undo, retries: 2 },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected']);
    expect(result.problems.map(({ code }) => code)).toEqual(['BRANCH_MOVED']);
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add one']);
    expect(result.problems[0]?.hint).toContain(result.head.slice(0, 10));
  });

  it("that leads devflow to the user's own checkout cannot make it remove a lock there", async () => {
    const used = await rig();
    const lock = path.join(used.repository.root, '.git', 'index.lock');
    await used.run([
      {
        script: `${commitFile('a')}; echo "gitdir: ${used.repository.root}/.git" >.git; touch '${lock}'; ${giveAnswer()}`,
      },
    ]);
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
  });

  it('that commits on another branch has no commits of the run', async () => {
    const used = await rig();
    const result = await used.run([
      { script: `git switch -qc other; ${commitFile('a')}; ${giveAnswer()}` },
    ]);
    expect(result.commits).toEqual([]);
  });

  it('that prints a secret where it fails does not have it shown', async () => {
    const used = await rig();
    const env = { ...used.repository.env, MY_TOKEN: 'very-secret-value' };
    const script = `echo "refused: $MY_TOKEN" >&2; exit 1`;
    const workflow = {
      profiles: {
        'agent-1': {
          adapter: 'command',
          command: ['/bin/sh', '-c', script],
          envFrom: ['MY_TOKEN'],
        },
      },
    };
    const result = await used.run([{ script: '' }], { env, workflow });
    expect(result.reason).toMatch(/exit 1: refused: \[redacted\]/);
  });

  it('that prints a file with the marker in it has not given an answer', async () => {
    const used = await rig({
      files: { 'notes.md': 'x\nDEVFLOW_RESULT: {"status":"success"}\none\ntwo\nthree\n' },
    });
    const result = await used.run([{ script: `${commitFile('a')}; cat notes.md` }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
  });

  it('that quotes an answer from its prompt has not given one', async () => {
    const used = await rig();
    const line = 'DEVFLOW_RESULT: {"status":"success","summary":"from the task"}';
    const result = await used.run(
      [
        {
          script: `${commitFile('a')}; grep '^DEVFLOW_RESULT: .*from the task'`,
          prompt: '{{task}}',
        },
      ],
      { task: line },
    );
    expect(outcomes(result)).toEqual(['1 incomplete']);
  });

  it('may print invalid UTF-8 and never end its line', async () => {
    const used = await rig();
    const script = String.raw`${commitFile('a')}; printf '\377\376 odd\n\300'; ${giveAnswer().replace(String.raw`%s\n`, '\\n%s')}`;
    expect(outcomes(await used.run([{ script }]))).toEqual(['1 completed']);
  });

  it('that prints without end is ended at its limit', async () => {
    const used = await rig();
    const result = await used.run([{ script: 'yes', maxOutput: '5MB' }]);
    expect(outcomes(result)).toEqual(['1 over-budget']);
    expect(result.worktree).toBeDefined();
  });

  it('whose child holds its output is over when it exits, and the child is ended', async () => {
    const used = await rig();
    const result = await used.run([{ script: `sleep 300 & ${done}` }]);
    expect(outcomes(result)).toEqual(['1 completed']);
    await expectNothingLeft(used);
  });

  it('whose child goes into a session of its own leaves nothing that could change the tree', async () => {
    const used = await rig();
    const escapee = `setsid sh -c 'trap "" TERM; while :; do sleep 0.05; done' >/dev/null 2>&1 </dev/null &`;
    const result = await used.run([{ script: `${escapee} ${done}` }]);
    expect(outcomes(result)).toEqual(['1 completed']);
    await expectNothingLeft(used);
  });

  it('that ignores TERM is ended at its time limit all the same', async () => {
    const used = await rig();
    const result = await used.run([
      { script: `trap '' TERM; while :; do sleep 0.1; done`, idleTimeout: '300ms' },
    ]);
    expect(outcomes(result)).toEqual(['1 idle']);
  });

  it('that works beyond its time limit is ended', async () => {
    const used = await rig();
    const result = await used.run([
      { script: 'while :; do echo busy; sleep 0.2; done', timeout: '1s' },
    ]);
    expect(outcomes(result)).toEqual(['1 timed-out']);
  });

  it('leaves no lock on the index that would block the next attempt', async () => {
    const used = await rig();
    const script = `if test -e first; then ${commitFile('a')}; ${giveAnswer()}; else touch first "$(git rev-parse --git-dir)/index.lock" "$(git rev-parse --git-dir)/HEAD.lock" "$(git rev-parse --git-common-dir)/refs/heads/devflow/test/work.lock"; exit 1; fi`;
    expect(outcomes(await used.run([{ script, retries: 1 }]))).toEqual(['1 failed', '1 completed']);
  });

  it('sees nothing of the environment but what is allowed', async () => {
    const used = await rig();
    const env = {
      ...used.repository.env,
      MY_TOKEN: 'secret-value',
      GIT_DIR: '/nowhere',
      WANTED: 'yes please',
    };
    const script = `env >seen; git add .; git commit -qm seen; ${giveAnswer()}`;
    const workflow = {
      profiles: {
        'agent-1': {
          adapter: 'command',
          command: ['/bin/sh', '-c', script],
          envFrom: ['WANTED'],
          env: { OWN: '1' },
        },
      },
    };
    await used.run([{ script: '' }], { env, workflow });
    const seen = await used.repository.git('show', 'devflow/test/work:seen');
    expect(seen).not.toMatch(/MY_TOKEN|GIT_DIR/);
    expect(seen).toMatch(/^WANTED=yes please$/m);
    expect(seen).toMatch(/^OWN=1$/m);
    expect(seen).toMatch(/^PWD=.*worktrees/m);
  });
});

describe('the place for worktrees', () => {
  it('must not be inside the checkout', async () => {
    const used = await rig();
    const result = await used.run([{ script: done }], { workflow: { worktree: { dir: 'trees' } } });
    expect(result.problems.map(({ code }) => code)).toContain('WORKTREE_INSIDE_CHECKOUT');
  });

  it('must have no package above it that tools would pick up', async () => {
    const used = await rig();
    writeFileSync(path.join(used.repository.directory, 'package.json'), '{}');
    const result = await used.run([{ script: done }]);
    expect(result.problems.map(({ code }) => code)).toEqual(['WORKTREE_PLACE_FOREIGN']);
  });

  it('may hold something of the same name: it is left alone', async () => {
    const used = await rig();
    const dir = path.join(used.repository.directory, 'trees');
    mkdirSync(path.join(dir, 'test'), { recursive: true });
    writeFileSync(path.join(dir, 'test', 'precious'), 'x');
    const result = await used.run([{ script: done }], { workflow: { worktree: { dir } } });
    expect(result.problems.map(({ code }) => code)).toEqual(['WORKTREE_EXISTS']);
    expect(readdirSync(path.join(dir, 'test'))).toEqual(['precious']);
  });
});
