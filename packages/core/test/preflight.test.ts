import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { type RunMore, expectNothingLeft, outcomes, rig } from './rig.js';

const done = `cat >/dev/null; ${commitFile('done.txt')}; ${giveAnswer()}`;
const codes = ({ problems }: { problems: readonly { code: string }[] }) =>
  problems.map(({ code }) => code);

describe('preflight', () => {
  it('reports every problem at once, each with what to do, and makes nothing', async () => {
    const used = await rig();
    const { git, root } = used.repository;
    await git('config', '--unset', 'user.name');
    await git('branch', 'devflow');
    writeFileSync(path.join(root, '.git', 'MERGE_HEAD'), '');
    writeFileSync(path.join(root, '.git', 'index.lock'), '');
    const workflow: RunMore['workflow'] = {
      profiles: {
        'agent-1': { adapter: 'command', command: ['no-such-agent'], envFrom: ['NOT_SET'] },
      },
    };
    const result = await used.run([{ script: '', preflight: [{ command: ['false'] }] }], {
      workflow,
    });
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(codes(result).toSorted()).toEqual([
      'AGENT_NOT_FOUND',
      'BRANCH_EXISTS',
      'ENV_MISSING',
      'GIT_IDENTITY_MISSING',
      'GIT_OPERATION_UNDER_WAY',
      'INDEX_LOCKED',
      'PREFLIGHT_COMMAND_FAILED',
    ]);
    for (const { message, hint } of result.problems)
      expect([message, hint]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
    expect(used.journal('test').at(-2)).toMatchObject({
      type: 'preflight',
      problems: result.problems,
    });
    rmSync(path.join(root, '.git', 'index.lock'));
    rmSync(path.join(root, '.git', 'MERGE_HEAD'));
    await expectNothingLeft(used);
  });

  it.each([
    ['rebase-merge', /a rebase is under way/],
    ['rebase-apply', /a rebase is under way/],
    ['BISECT_LOG', /a bisect is under way/],
    ['CHERRY_PICK_HEAD', /a cherry-pick is under way/],
  ])('notices %s', async (file, sentence) => {
    const used = await rig();
    writeFileSync(path.join(used.repository.root, '.git', file), '');
    const result = await used.run([{ script: done }]);
    expect(codes(result)).toEqual(['GIT_OPERATION_UNDER_WAY']);
    expect(result.problems[0]?.message).toMatch(sentence);
  });

  it('accepts who commits from the environment', async () => {
    const used = await rig();
    await used.repository.git('config', '--unset', 'user.name');
    await used.repository.git('config', '--unset', 'user.email');
    expect(codes(await used.run([{ script: done }]))).toEqual(['GIT_IDENTITY_MISSING']);
    const env = { ...used.repository.env };
    for (const role of ['AUTHOR', 'COMMITTER']) {
      env[`GIT_${role}_NAME`] = 'From Environment';
      env[`GIT_${role}_EMAIL`] = 'env@example.com';
    }
    expect(await used.resume('test', { env })).toMatchObject({ state: 'completed' });
    expect(await used.repository.git('log', '-1', '--format=%an', 'devflow/test/work')).toBe(
      'From Environment',
    );
  });

  it('notes what a dirty checkout holds that the run does not see', async () => {
    const used = await rig();
    used.repository.write({ 'draft.txt': 'unfinished' });
    const result = await used.run([
      { script: `test ! -e draft.txt && ${commitFile('a')}; ${giveAnswer()}` },
    ]);
    expect(result.state).toBe('completed');
    const notes = used.events.flatMap((event) => (event.type === 'preflight' ? event.notes : []));
    expect(notes).toEqual([
      expect.stringMatching(/what is not committed is not in it: draft\.txt/),
    ]);
    expect(readFileSync(path.join(used.repository.root, 'draft.txt'), 'utf8')).toBe('unfinished');
  });

  it('refuses a repository with extensions that it does not know', async () => {
    const used = await rig();
    await used.repository.git('config', 'core.repositoryFormatVersion', '0');
    await used.repository.git('config', 'extensions.somethingNew', 'true');
    const result = await used.run([{ script: done }]);
    expect(result.problems[0]).toMatchObject({
      code: 'REPOSITORY_UNSUPPORTED',
      message: expect.stringMatching(/somethingnew/i),
    });
  });

  it('is repeated before each phase and each further attempt', async () => {
    const used = await rig();
    const flag = path.join(used.repository.directory, 'flag');
    writeFileSync(flag, '');
    const preflight = [{ command: ['test', '-e', flag] }];
    const result = await used.run([{ script: `rm '${flag}'; exit 1`, retries: 3, preflight }]);
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(outcomes(result)).toEqual(['1 failed']);
  });

  it('notices when the worktree is gone or on another branch, and resume goes on once that is mended', async () => {
    const used = await rig();
    const result = await used.run([{ script: `test -e "$HOME/ok" && { ${done}; }` }]);
    const worktree = result.worktree ?? '';
    await used.repository.git('-C', worktree, 'switch', '--quiet', '--create', 'elsewhere');
    writeFileSync(path.join(used.repository.home, 'ok'), '');
    const wrong = await used.resume('test');
    expect(wrong.problems[0]).toMatchObject({
      code: 'WORKTREE_BRANCH_CHANGED',
      hint: expect.stringMatching(/switch devflow\/test\/work/),
    });
    rmSync(worktree, { recursive: true });
    const gone = await used.resume('test');
    expect(codes(gone)).toEqual(['WORKTREE_MISSING']);
    await used.repository.git(
      'worktree',
      'add',
      '--quiet',
      '--force',
      '--force',
      worktree,
      'devflow/test/work',
    );
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });

  it('notes when somebody else moved the branch on, and keeps what they did', async () => {
    const used = await rig();
    const { worktree = '' } = await used.run([{ script: `test -e "$HOME/ok" && { ${done}; }` }]);
    writeFileSync(path.join(worktree, 'mine'), '');
    await used.repository.git('-C', worktree, 'add', '.');
    await used.repository.git('-C', worktree, 'commit', '--quiet', '--message', 'By hand');
    writeFileSync(path.join(used.repository.home, 'ok'), '');
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
    expect(await used.repository.git('log', '--format=%s', 'main..devflow/test/work')).toBe(
      'Add done.txt\nBy hand',
    );
    const notes = used.events.flatMap((event) => (event.type === 'preflight' ? event.notes : []));
    expect(notes).toContainEqual(expect.stringMatching(/moved on .* by somebody else/));
  });

  it('finds an agent that is in the checkout but not in the commit, before anything is spent', async () => {
    const used = await rig();
    used.repository.write({ 'agent.sh': `#!/bin/sh\n${done}\n` });
    chmodSync(path.join(used.repository.root, 'agent.sh'), 0o755);
    const workflow: RunMore['workflow'] = {
      profiles: { 'agent-1': { adapter: 'command', command: ['./agent.sh'] } },
    };
    const missing = await used.run([{ script: '' }], { workflow });
    expect(missing).toMatchObject({ state: 'waiting', attempts: [] });
    expect(missing.problems[0]).toMatchObject({
      code: 'AGENT_NOT_FOUND',
      message: expect.stringMatching(/"\.\/agent\.sh" is not in the run's checkout/),
      hint: expect.stringMatching(/commit it .* start a new run/),
    });
    await used.repository.commit({});
    expect(await used.run([{ script: '' }], { workflow, name: 'two' })).toMatchObject({
      state: 'completed',
    });
  });

  it('finds a check that is not installed, but demands none that the phase may make', async () => {
    const used = await rig();
    const checks = [{ command: ['no-such-linter'] }];
    const result = await used.run([{ script: done, checks }]);
    expect(result).toMatchObject({ state: 'waiting', problems: [{ code: 'CHECK_NOT_FOUND' }] });
    const made = `printf '#!/bin/sh\nexit 0\n' >check.sh; chmod +x check.sh; ${done}`;
    const later = await used.run([{ script: made, checks: [{ command: ['./check.sh'] }] }], {
      name: 'two',
    });
    expect(outcomes(later)).toEqual(['1 completed']);
  });

  it("takes a hook's word, and an error in it as a problem", async () => {
    const used = await rig();
    const phase = { script: done, preflight: [{ hook: 'open' }, { hook: 'broken' }] };
    const hooks = {
      open: ({ phase: { name }, task }: { phase: { name: string }; task: string }) => [
        { code: 'CLOSED', message: `${name}: ${task}`, hint: 'wait' },
      ],
      broken: () => Promise.reject(new Error('oh no')),
    };
    const result = await used.run([phase], { hooks });
    expect(result.problems).toEqual([
      { code: 'CLOSED', message: 'step-1: add a greeting', hint: 'wait' },
      { code: 'PREFLIGHT_HOOK_FAILED', message: 'hook "broken": oh no', hint: expect.any(String) },
    ]);
  });
});

it('a hook that gives back something else is a problem beside the others, and the run stays readable', async () => {
  const used = await rig();
  const phase = { script: done, preflight: [{ hook: 'odd' }, { command: ['false'] }] };
  const hooks = { odd: () => [{ code: 'A' }] as never };
  const result = await used.run([phase], { hooks });
  expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
  expect(result.problems).toEqual([
    {
      code: 'PREFLIGHT_HOOK_FAILED',
      message: expect.stringMatching(/^hook "odd" gave back .*problem 1.*; expected a list/),
      hint: expect.stringContaining('"odd"'),
    },
    expect.objectContaining({ code: 'PREFLIGHT_COMMAND_FAILED' }),
  ]);
  const again = { hooks: { odd: () => [] }, acceptCode: true };
  const second = await used.resume('test', again);
  expect(second.problems.map(({ code }) => code)).toEqual(['PREFLIGHT_COMMAND_FAILED']);
});

it('of a command that says much, the end is kept', async () => {
  const used = await rig();
  const command = ['sh', '-c', 'printf %05000d 0; echo THE END; exit 1'];
  const { problems } = await used.run([{ script: done, preflight: [{ command }] }]);
  expect(problems[0]?.message).toMatch(/…0+THE END$/);
  expect(problems[0]?.message.length).toBeLessThan(2_200);
});

describe('a new worktree', () => {
  it('gets the ignored files and the setup that are configured, for reviews too', async () => {
    const used = await rig();
    await used.repository.commit({ '.gitignore': '.env\nsecrets/\ninstalled\n' });
    used.repository.write({ '.env': 'A=1\n', 'secrets/key': 'k\n' });
    const worktree = {
      copy: ['.env', 'secrets'],
      setup: [{ command: ['sh', '-c', 'cat .env secrets/key >installed'] }],
    };
    const check = `test "$(cat installed)" = "$(printf 'A=1\\nk')"`;
    const result = await used.run(
      [
        { script: `${check} && { ${done}; }` },
        { script: `${check} && ${giveAnswer()}`, mode: 'review' },
      ],
      { workflow: { worktree } },
    );
    expect(outcomes(result)).toEqual(['1 completed', '2 completed']);
  });

  it('whose setup fails stops the run with the end of its output; resume tries again', async () => {
    const used = await rig();
    const setup = [
      {
        name: 'install',
        command: ['sh', '-c', 'test -e "$HOME/ok" || { echo no network; exit 7; }'],
      },
    ];
    const result = await used.run([{ script: done }], { workflow: { worktree: { setup } } });
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(result.problems[0]).toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringMatching(/"install".*exit 7\nno network/),
    });
    writeFileSync(path.join(used.repository.home, 'ok'), '');
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });

  it.each([
    [
      'a file that is not there',
      { copy: ['.env'] },
      'WORKTREE_COPY_FAILED',
      /"\.env" .* does not exist/,
    ],
    [
      'a path outside the repository',
      { copy: ['../x'] },
      'WORKTREE_COPY_FAILED',
      /outside the repository/,
    ],
    [
      'a setup that leaves changes',
      { setup: [{ command: ['touch', 'litter'] }] },
      'SETUP_DIRTY',
      /litter/,
    ],
    [
      'a setup that hangs',
      { setup: [{ command: ['sleep', '300'], timeout: '200ms' }] },
      'SETUP_FAILED',
      /timed out/,
    ],
  ])('is refused with %s', async (_, worktree, code, sentence) => {
    const used = await rig();
    const result = await used.run([{ script: done }], { workflow: { worktree } });
    expect(result.problems[0]).toMatchObject({ code, message: expect.stringMatching(sentence) });
    expect(result.attempts).toEqual([]);
  });

  it('stays where the configuration says, if it is to be kept', async () => {
    const used = await rig();
    const dir = path.join(used.repository.directory, 'trees');
    mkdirSync(dir);
    const result = await used.run([{ script: done }], {
      workflow: { worktree: { dir, keep: 'always' } },
    });
    expect(result.worktree).toBe(path.join(dir, 'test'));
    expect(readFileSync(path.join(dir, 'test', 'done.txt'), 'utf8')).toBe('content\n');
  });
});
