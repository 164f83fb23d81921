/** From end to end: a run of devflow whose agent is the real CLI, in a linked worktree, against a scripted model. */
import { run } from '@devflow/core';
import { type TemporaryRepository, temporaryRepository } from '@devflow/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { installedAgent } from '../../../scripts/agents-install.js';
import {
  type ModelServer,
  type Script,
  type Turn,
  startModelServer,
} from '../../../test/model-server/server.ts';
import { claude } from '../src/index.ts';

const binary = installedAgent('claude');

const answer = (fields: object) =>
  `DEVFLOW_RESULT: ${JSON.stringify({ status: 'success', ...fields })}`;
const bash = (command: string): Turn => ({
  calls: [{ tool: 'Bash', input: { command, description: 'work' } }],
});

describe.skipIf(binary === undefined)('a run with the real Claude Code', () => {
  let repository: TemporaryRepository;
  let server: ModelServer | undefined;

  beforeEach(async () => {
    // Not under /tmp, where some of what is refused elsewhere is allowed.
    repository = await temporaryRepository({ parent: '/var/tmp' });
  });
  afterEach(async () => {
    const ending = server?.close();
    server = undefined;
    repository.remove();
    await ending; // rejects where the agent left the script
  });

  async function runPhases(script: Script, phases: object[]) {
    server = await startModelServer(script);
    return run(
      {
        profiles: { real: { adapter: 'claude', program: binary } },
        defaults: { agent: 'real', retries: 0, timeout: '2m' },
        phases: phases.map((phase, index) => ({
          id: index + 1,
          name: `step-${index + 1}`,
          prompt: '{{task}}',
          ...phase,
        })),
      },
      {
        task: 'Write greeting.txt',
        name: 'real',
        cwd: repository.root,
        env: {
          ...repository.env,
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'not-a-key',
          CLAUDE_CONFIG_DIR: `${repository.home}/.claude`,
          IS_SANDBOX: '1', // as root it refuses to work without; here nothing but this test's directory is at stake
        },
        adapters: [claude()],
      },
    );
  }

  test('writes, commits and completes; its review sees the change and cannot write', async () => {
    const result = await runPhases(
      [
        bash(
          `echo hello >greeting.txt && git add greeting.txt && git commit --quiet -m 'Add a greeting'`,
        ),
        { text: `It is written.\n\n${answer({ summary: 'greeting.txt says hello' })}` },
        {
          calls: [
            { tool: 'Write', input: { file_path: 'x', content: 'x' }, unoffered: true },
            { tool: 'Bash', input: { command: 'touch x' }, unoffered: true },
          ],
        },
        { text: answer({ verdict: 'pass' }) },
      ],
      [
        { checks: [{ command: ['grep', 'hello', 'greeting.txt'] }] },
        { mode: 'review', prompt: 'Judge: {{run.diff}}', requires: ['marker', 'verdict'] },
      ],
    );
    expect(result).toMatchObject({ state: 'completed', branch: 'devflow/real/work' });
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add a greeting']);
    expect(await repository.git('show', 'devflow/real/work:greeting.txt')).toBe('hello');
    expect(await repository.git('ls-tree', '--name-only', 'devflow/real/work')).toBe(
      'README.md\ngreeting.txt',
    );
    expect(result.attempts[0]).toMatchObject({
      summary: 'greeting.txt says hello',
      usage: { outputTokens: expect.any(Number) },
      costUsd: expect.any(Number),
    });
    expect(server?.requests[0]?.body).toContain('Write greeting.txt');
    expect(server?.requests[2]?.body).toContain('+hello');
    const offered = server?.requests[2]?.tools ?? [];
    expect(offered.filter((tool) => /write|edit|bash|shell/i.test(tool))).toEqual([]);
    expect(offered).toContain('Read');
    expect(server?.strays).toEqual([]);
  });

  test('a key that is refused makes the run wait for a login, with no retry', async () => {
    const refused = {
      status: 401,
      body: {
        type: 'error',
        error: { type: 'authentication_error', message: 'invalid x-api-key' },
      },
    };
    const result = await runPhases(() => refused, [{ retries: 3 }]);
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'login',
      attempts: [{ outcome: 'auth' }],
    });
  });

  test('one that says that it is done and did nothing has not completed the phase', async () => {
    const result = await runPhases([{ text: answer({ summary: 'all done' }) }], [{}]);
    expect(result).toMatchObject({ state: 'failed', attempts: [{ outcome: 'no-change' }] });
  });
});
