import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentAdapter } from '../src/adapter/index.js';
import { resume } from '../src/index.js';
import { giveAnswer } from '../src/testing/index.js';
import { objections, outcomes, until } from './rig.js';
import { done, parser, runAdapter, scripted } from './scripted-adapter.js';

/** An adapter that is somebody's own code: what it gives may be anything. */
const odd = (more: object): AgentAdapter => ({ ...scripted(done), ...more });

describe('an adapter that gives what the contract does not have', () => {
  it.each<[string, object]>([
    ['a promise for its signal', { completionSignalDetected: () => Promise.resolve(false) }],
    ['an unknown turn', { createParser: parser({ turn: 'Finished' as 'finished' }) }],
    ['no result', { createParser: parser({}), completionSignalDetected: () => undefined }],
  ])('%s never completes a phase', async (_, more) => {
    expect(outcomes((await runAdapter(odd(more))).result)).toEqual(['1 incomplete']);
  });

  it('an unknown kind of failure fails the attempt, and the run can be resumed', async () => {
    const failure = { kind: 'quota' as 'failed', message: 'used up' };
    const used = await runAdapter(odd({ createParser: parser({ turn: 'failed', failure }) }));
    expect(outcomes(used.result)).toEqual(['1 failed']);
    const mended = await resume('test', {
      cwd: used.repository.root,
      env: used.repository.env,
      adapters: [scripted(done)],
    });
    expect(mended.state).toBe('completed');
  });

  it('what it throws is said, and is no end of a turn', async () => {
    const broken = odd({
      createParser: () => ({
        line: () => [],
        openCalls: () => 0,
        result: () => {
          throw new Error('a bug of mine');
        },
      }),
    });
    const { result, events } = await runAdapter(broken);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(JSON.stringify(events)).toContain('a bug of mine');
  });

  it.each<[string, unknown, RegExp]>([
    [
      'a problem without a message',
      { problems: [{ code: 'A' }], notes: [] },
      /no text as its message/,
    ],
    ['no notes', { problems: [] }, /notes that are nothing/],
    ['nothing', undefined, /fails: /],
  ])(
    'a preflight that gives back %s stands in the way, and the run stays readable',
    async (_, said, words) => {
      const used = await runAdapter(odd({ preflight: () => Promise.resolve(said) }));
      expect(used.result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
      expect(used.result.problems).toEqual([
        { code: 'ADAPTER_FAILED', message: expect.stringMatching(words), hint: expect.any(String) },
      ]);
      const { root: cwd, env } = used.repository;
      expect((await resume('test', { cwd, env, adapters: [scripted(done)] })).state).toBe(
        'completed',
      );
    },
  );

  it('a preflight that never answers ends with the run when that is stopped', async () => {
    const controller = new AbortController();
    let asked = false;
    const silent = odd({
      preflight: () => {
        asked = true;
        return new Promise(() => undefined);
      },
    });
    void until(() => asked).then(() => controller.abort());
    const { result } = await runAdapter(silent, {}, { signal: controller.signal });
    expect(result.state).toBe('stopped');
  });
});

describe('what an agent prints of its secrets', () => {
  const secret = 'tok-ABCDEFGHIJKL';

  it('is neither in the journal, nor in the next prompt, nor in an event', async () => {
    const reason = `because of ${secret}`;
    const leaking = odd({
      envFrom: ['MY_TOKEN'],
      execCommand: ({ prompt }: { prompt: string }) => ({
        program: '/bin/sh',
        args: ['-c', giveAnswer({ status: 'failed', reason })],
        stdin: prompt,
      }),
    });
    const used = await runAdapter(leaking, { retries: 1 }, { env: { MY_TOKEN: secret } });
    expect(outcomes(used.result)).toEqual(['1 failed', '1 failed']);
    const journal = JSON.stringify(used.journal('test'));
    const prompt = readFileSync(path.join(used.attempt('test', '01-one', 2), 'prompt.md'), 'utf8');
    for (const text of [journal, prompt, JSON.stringify(used.events), JSON.stringify(used.result)])
      expect(text).not.toContain(secret);
    expect(objections(used.result).join()).toContain('because of [redacted]');
  });

  it('does not have it kept by its preflight either', async () => {
    const problem = { code: 'LOGIN', message: `logged in by ${secret}`, hint: 'x' };
    const leaking = scripted('', {
      envFrom: ['MY_TOKEN'],
      preflight: () => Promise.resolve({ problems: [problem], notes: [`with ${secret}`] }),
    });
    const used = await runAdapter(leaking, {}, { env: { MY_TOKEN: secret } });
    expect(used.result.problems[0]?.message).toBe('logged in by [redacted]');
    expect(JSON.stringify(used.journal('test'))).not.toContain(secret);
  });
});

describe('an agent that leads git elsewhere', () => {
  it('has committed nothing where its worktree speaks of a copy of the repository', async () => {
    const away = [
      'common=$(git rev-parse --path-format=absolute --git-common-dir)',
      'cp -r "$common" "$HOME/copy"',
      'echo "$HOME/copy" >"$(git rev-parse --git-dir)/commondir"',
      done,
    ].join('\n');
    const { result, repository } = await runAdapter(scripted(away));
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(result.worktree).toBeDefined();
    expect(await repository.git('rev-parse', 'devflow/test/work')).toBe(result.base);
  });

  it.each<[string, object, string, RegExp]>([
    ['', {}, '1 incomplete', /not committed: sub/],
    [
      ', for checks either',
      { requires: ['answer', 'checks'], checks: [{ command: ['true'] }] },
      '1 completed',
      /^$/,
    ],
  ])(
    'makes git run no program of a repository within, where it was confined%s',
    async (_, phase, ends, because) => {
      const planted = [
        'mkdir sub && cd sub && git init --quiet && echo a >a && git add a',
        'git -c user.name=x -c user.email=x@example.com commit --quiet -m one',
        `printf '#!/bin/sh\\ntouch "$HOME/escaped"\\ncat\\n' >.git/evil.sh && chmod +x .git/evil.sh`,
        'echo "a filter=x" >.gitattributes && git config filter.x.clean "$PWD/.git/evil.sh"',
        'touch -d 2001-01-01 a; cd .. && git add sub && git commit --quiet -m "Add sub"',
        giveAnswer(),
      ].join('\n');
      const confined = scripted(planted, {
        capabilities: { modes: ['work'], ownSandbox: true },
      });
      const own = { workflow: { sandbox: 'own' } } as const;
      const { result, repository } = await runAdapter(confined, phase, own);
      expect(outcomes(result)).toEqual([ends]);
      expect(objections(result).join()).toMatch(because);
      expect(() => readFileSync(path.join(repository.home, 'escaped'))).toThrow(/ENOENT/);
    },
  );

  it('finds the settings of its worktree put back', async () => {
    const changing = `git config --file "$(git rev-parse --git-dir)/config.worktree" filter.x.clean evil\n${done}`;
    const { result, events } = await runAdapter(scripted(changing));
    expect(outcomes(result)).toEqual(['1 rejected']);
    expect(JSON.stringify(events)).toContain('put back');
    const pointer = readFileSync(path.join(result.worktree ?? '', '.git'), 'utf8');
    const gitDir = pointer.replace('gitdir: ', '').trim();
    expect(() => readFileSync(path.join(gitDir, 'config.worktree'))).toThrow(/ENOENT/);
  });
});

describe('a review', () => {
  it('does not have in its checkout what its agent takes for configuration', async () => {
    const looking = scripted(`ls -A; ${giveAnswer({ status: 'success', verdict: 'pass' })}`, {
      reviewHides: ['.agent', 'agent.json'],
      completionSignalDetected: (output) => !/agent/.test(output.replaceAll('agent.txt', '')),
    });
    const files = { '.agent/plugin.js': 'evil', 'agent.json': '{}', 'agent.txt': 'kept' };
    const review = { mode: 'review', requires: ['answer', 'verdict'] };
    const { result } = await runAdapter(looking, review, { files });
    expect(outcomes(result)).toEqual(['1 completed']);
  });
});

it('a damaged answer of a program that was kept is asked for again', async () => {
  const asking = scripted(done, {
    async preflight(probe) {
      const { stdout } = await probe.ask('git', ['--version'], { cached: true });
      return { problems: [], notes: [], version: stdout.trim() };
    },
  });
  const used = await runAdapter(asking);
  expect(used.result.state).toBe('completed');
  const kept = path.join(used.repository.home, '.local/state/devflow/programs');
  for (const name of readdirSync(kept)) writeFileSync(path.join(kept, name), '');
  const again = await runAdapter(asking, {}, { name: 'again', stateDir: path.dirname(kept) });
  expect(again.result.state).toBe('completed');
});
