import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, refused, say, shell } from '../model-server/scenarios.ts';
import { agentCases, answer, commit } from './cases.ts';
import { runAgent } from './agent-rig.ts';

describe('Codex', () => {
  // It tries a failing server of the user's own configuration 30 times, in 25 seconds.
  agentCases({ name: 'codex', mostCalls: 30, resetWithinMs: 60_000 });

  test('commits in its own sandbox, and writes no hook, no configuration and nothing elsewhere', async () => {
    const { result, repository } = await runAgent('codex', {
      workflow: { sandbox: 'own' },
      phases: [{}],
      script: [
        call(commit('greeting.txt')),
        call(
          shell(
            'common=$(git rev-parse --git-common-dir); touch "$common/hooks/planted"; ' +
              'git config devflow.planted yes; touch "$HOME/planted" "$common/../planted"; true',
          ),
        ),
        say(answer()),
      ],
    });
    expect(result).toMatchObject({ state: 'completed', attempts: [{ outcome: 'completed' }] });
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add greeting.txt']);
    const { root, home, git } = repository;
    const planted = [path.join(root, '.git', 'hooks'), home, root];
    expect(planted.filter((place) => existsSync(path.join(place, 'planted')))).toEqual([]);
    expect(await git('config', '--get', '--default', 'no', 'devflow.planted')).toBe('no');
  });

  test('is not left to wait for a limit that its server repeats: devflow waits without it', async () => {
    const { result } = await runAgent('codex', {
      phases: [{}],
      script: () => refused('rate-limit', { retryAfterSeconds: 25 }), // five times, without this
    });
    expect(result).toMatchObject({ state: 'waiting', attempts: [{ outcome: 'rate-limited' }] });
    expect(result.attempts[0]?.durationMs).toBeLessThan(60_000);
  });

  test('is not begun where its home makes its sandbox fail in silence', async () => {
    const { result, server } = await runAgent('codex', {
      workflow: { sandbox: 'own' },
      phases: [{}],
      script: [],
      env: ({ home }) => ({ TMPDIR: home }), // its home lies in the temporary directory then
    });
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'preflight',
      problems: [{ code: 'AGENT_SANDBOX' }],
    });
    expect(server.requests).toHaveLength(0);
  });
});
