import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryForTest } from '../../test/temporary.js';
import { git, gitEnvironment, tryGit } from './git.js';

describe("devflow's own git calls", () => {
  it('have nothing of what the caller tells git, ask nothing, and speak English', () => {
    expect(
      gitEnvironment({
        PATH: '/bin',
        GIT_DIR: '/x',
        GIT_CONFIG_COUNT: '1',
        LC_ALL: 'de_DE.UTF-8',
        UNSET: undefined,
      }),
    ).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      GIT_GRAFT_FILE: '/dev/null/none',
    });
  });

  it('give back what git said, and how it ended', async () => {
    const { root, env } = await repositoryForTest();
    expect(await tryGit(root, ['rev-parse', '--is-inside-work-tree'], env)).toEqual({
      status: 0,
      stdout: 'true\n',
      stderr: '',
    });
    expect(await tryGit(root, ['rev-parse', '--verify', 'none'], env)).toMatchObject({
      status: 128,
      stderr: expect.stringContaining('fatal:'),
    });
    expect(await tryGit(path.join(root, 'none'), ['status'], env)).toMatchObject({
      status: -1,
      stderr: expect.stringContaining('does not exist'),
    });
  });

  it("fail with git's own words", async () => {
    const { root, env } = await repositoryForTest();
    await expect(git(root, ['checkout', 'none'], env)).rejects.toThrow(
      expect.objectContaining({
        code: 'GIT_FAILED',
        message: expect.stringMatching(/^git checkout ended with 1: error: pathspec 'none'/),
      }),
    );
    await expect(git(root, ['rev-parse', '--verify', '--quiet', 'none'], env)).rejects.toThrow(
      'it said nothing',
    );
  });

  it('run no hook and sign nothing', async () => {
    const { root, directory, env, git: byHand } = await repositoryForTest();
    const ran = path.join(directory, 'ran');
    const hook = path.join(root, '.git', 'hooks', 'post-checkout');
    writeFileSync(hook, `#!/bin/sh\ntouch '${ran}'\n`);
    chmodSync(hook, 0o755);
    await git(root, ['checkout', '--quiet', '-b', 'one'], env);
    expect(existsSync(ran)).toBe(false);
    await byHand('checkout', '--quiet', '-b', 'two');
    expect(existsSync(ran)).toBe(true); // by hand it does run
  });
});
