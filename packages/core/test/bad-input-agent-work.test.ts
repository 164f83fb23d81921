import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { done, outcomes, rig, until } from './rig.js';

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

  it('that takes in what somebody else committed has made no commit', async () => {
    const used = await rig();
    const flag = path.join(used.repository.directory, 'merged');
    const script = `touch '${flag}'; until git merge -q --ff-only main && test -e other; do sleep 0.02; done; ${giveAnswer()}`;
    const running = used.run([{ script }]);
    await until(() => existsSync(flag));
    await used.repository.commit({ other: 'x' }, 'By somebody else');
    const result = await running;
    expect(outcomes(result)).toEqual(['1 no-change']);
    // It is on the branch all the same, and is named.
    expect(result.commits).toMatchObject([{ subject: 'By somebody else' }]);
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

  it('whose work lies in a repository within has not completed the phase, and keeps its worktree', async () => {
    const used = await rig();
    const nested = `git init -q app; echo c >app/m; git -C app add -A; git -C app -c user.name=a -c user.email=a@b.c commit -qm real; git add -A 2>/dev/null; git commit -qm work`;
    const result = await used.run([{ script: `${nested}; ${giveAnswer()}` }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(result.reason).toMatch(/whose commit no remote of it has: app/);
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

  it('leaves no lock on the index that would block the next attempt', async () => {
    const used = await rig();
    const script = `if test -e first; then ${commitFile('a')}; ${giveAnswer()}; else touch first "$(git rev-parse --git-dir)/index.lock" "$(git rev-parse --git-dir)/HEAD.lock" "$(git rev-parse --git-common-dir)/refs/heads/devflow/test/work.lock"; exit 1; fi`;
    expect(outcomes(await used.run([{ script, retries: 1 }]))).toEqual(['1 failed', '1 completed']);
  });
});
