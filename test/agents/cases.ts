/** What holds for a run with any of the real agents; each file of tests names one. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type RunEvent, stop } from '@devflow/core';
import { readTable } from '../../packages/core/src/process/tree.ts';
import { readClaim } from '../../packages/core/src/process/wrapper.ts';
import { until } from '../../packages/core/test/rig.ts';
import { expect, test } from 'vitest';
import {
  call,
  cut,
  hang,
  refused,
  say,
  shell,
  structured,
  work,
  writeFile,
} from '../model-server/scenarios.ts';
import type { Script } from '../model-server/server.ts';
import type { Step } from '../model-server/turns.ts';
import { type AgentName, expectNothingAlive, runAgent } from './agent-rig.ts';

/** What differs from agent to agent. */
export interface AgentFacts {
  readonly name: AgentName;
  /** Calls of the model at most, for one that fails each time. */
  readonly mostCalls: number;
  /** How near the reset of a limit is known, in milliseconds; undefined: not at all. */
  readonly resetWithinMs: number;
  /** The expensive cases are left out. */
  readonly short?: true;
}

export const answer = (fields: object = {}) =>
  `DEVFLOW_RESULT: ${JSON.stringify({ status: 'success', summary: 'done', ...fields })}`;
export const commit = (file: string) =>
  shell(`echo hello >${file} && git add ${file} && git commit --quiet -m 'Add ${file}'`);
const always =
  (step: Step): Script =>
  () =>
    step;

export function agentCases(facts: AgentFacts): void {
  const { name } = facts;

  test('works: writes, commits, completes the phase, and states what it used', async () => {
    const { result, server, repository } = await runAgent(name, {
      phases: [{ checks: [{ command: ['grep', 'hello', 'greeting.txt'] }] }],
      script: [work('I will.', commit('greeting.txt')), say(`It is written.\n\n${answer()}`)],
    });
    expect(result).toMatchObject({ state: 'completed', attempts: [{ outcome: 'completed' }] });
    expect(result.commits.map(({ subject }) => subject)).toEqual(['Add greeting.txt']);
    expect(await repository.git('show', 'devflow/real/work:greeting.txt')).toBe('hello');
    expect(result.attempts[0]?.usage).toMatchObject({ outputTokens: 100 });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]?.body).toContain('Write greeting.txt');
    expect(server.strays).toEqual([]);
    expect(await repository.git('status', '--porcelain')).toBe('');
  });

  test('reviews: what it tries to write is not written, within its checkout or outside', async () => {
    let checkout = '';
    const seen: boolean[] = [];
    const { result, server } = await runAgent(name, {
      phases: [{ mode: 'review', requires: ['answer', 'verdict'] }],
      onEvent(event) {
        if (event.type === 'attempt-started') checkout = checkoutOf(event.directory);
      },
      script: (_, index) => {
        if (index === 0) {
          return call(
            writeFile(path.join(checkout, 'inside.txt'), 'x\n', { unoffered: true }),
            shell(`touch ${checkout}/by-shell.txt ${checkout}/../outside.txt`, { unoffered: true }),
          );
        }
        for (const file of ['inside.txt', 'by-shell.txt', '../outside.txt'])
          seen.push(existsSync(path.join(checkout, file)));
        return say(answer({ verdict: 'pass' }));
      },
    });
    expect(seen).toEqual([false, false, false]);
    expect(result).toMatchObject({ state: 'completed', attempts: [{ outcome: 'completed' }] });
    expect(server.requests).toHaveLength(2);
  });

  test('a key that is refused makes the run wait for a login, whatever retries it has', async () => {
    const { result, server } = await runAgent(name, {
      phases: [{ retries: 3 }],
      script: always(refused('unauthorized')),
    });
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'login',
      attempts: [{ outcome: 'auth' }],
    });
    expect(server.requests.length).toBeLessThanOrEqual(facts.mostCalls);
  });

  test('a limit with a reset makes the run wait until then', async () => {
    const resetsAt = Math.ceil(Date.now() / 60_000) * 60 + 3_600;
    const { result, server } = await runAgent(name, {
      phases: [{ retries: 3 }],
      script: always(refused('usage-limit', { resetsAt, retryAfterSeconds: 3_600 })),
      subscription: true,
    });
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'reset',
      attempts: [{ outcome: 'rate-limited' }],
    });
    const known = Date.parse(result.until ?? '');
    const jitter = 60_000; // runs do not go on all at the same moment
    expect(Math.abs(known - resetsAt * 1_000)).toBeLessThanOrEqual(facts.resetWithinMs + jitter);
    expect(server.requests.length).toBeLessThanOrEqual(facts.mostCalls);
  });

  test('one that hangs is ended as idle, and nothing of it is left', async () => {
    const { result, repository } = await runAgent(name, {
      phases: [{ idleTimeout: '12s' }],
      script: always(hang(say('I think'))),
    });
    expect(result).toMatchObject({ state: 'failed', attempts: [{ outcome: 'idle' }] });
    await expectNothingAlive(repository);
  });

  test('an unfinished turn goes on in the same session', async () => {
    const { result, server } = await runAgent(name, {
      phases: [{ retries: 1 }],
      script: [
        say('Now I know the word: gooseberry.'),
        work('And on.', commit('greeting.txt')),
        say(answer()),
      ],
    });
    expect(result.attempts.map(({ outcome }) => outcome)).toEqual(['incomplete', 'completed']);
    expect(server.requests[1]?.body).toContain('gooseberry');
    const [first, second] = result.attempts.map(({ sessionId }) => sessionId);
    expect(second).toBe(first);
    expect(result.attempts.map(({ usage }) => usage?.outputTokens)).toEqual([50, 100]);
  });

  test('stopped at work, it leaves nothing alive and what it did stays', async () => {
    let stopped: Promise<unknown> = Promise.resolve();
    const { result, repository } = await runAgent(name, {
      phases: [{ idleTimeout: '1m' }],
      script: [call(sleeping), say(answer())],
      onEvent: (event, { directory, root, env }) =>
        whenAsleep(event, directory, () => {
          stopped = stop('real', { cwd: root, env });
        }),
    });
    await stopped;
    expect(result).toMatchObject({ state: 'stopped', attempts: [{ outcome: 'stopped' }] });
    await expectNothingAlive(repository);
    expect(existsSync(path.join(result.worktree ?? '', 'begun.txt'))).toBe(true);
  });

  if (facts.short !== true) longCases(facts);
}

/** Cases that an agent which takes seconds to start is spared. */
function longCases({ name, mostCalls }: AgentFacts): void {
  test('ended by TERM from outside it has crashed, and nothing of it is left', async () => {
    const { result, repository } = await runAgent(name, {
      phases: [{ idleTimeout: '1m' }],
      script: [call(sleeping), say(answer())],
      onEvent: (event, { directory }) =>
        whenAsleep(event, directory, () => process.kill(agentBelow(event), 'SIGTERM')),
    });
    expect(result).toMatchObject({ state: 'failed', attempts: [{ outcome: 'crashed' }] });
    await expectNothingAlive(repository);
  });

  test.each([
    ['a server that fails each time', always(refused('server-error'))],
    ['a stream that is cut each time', always(cut(say('half')))],
  ])('%s is given up after a bounded number of calls', async (_, script) => {
    const { result, server } = await runAgent(name, { phases: [{}], script });
    expect(result.state).toBe('failed');
    expect(['failed', 'incomplete']).toContain(result.attempts[0]?.outcome);
    expect(server.requests.length).toBeLessThanOrEqual(mostCalls);
  });

  test('a server that is not there is given up', async () => {
    const { result } = await runAgent(name, {
      phases: [{}],
      script: [],
      url: 'http://127.0.0.1:9', // the discard port: nobody listens
    });
    expect(result).toMatchObject({ state: 'failed', attempts: [{ outcome: 'failed' }] });
  });

  test('a prompt of 300 KB arrives whole', async () => {
    const task = Array.from({ length: 12_500 }, (_, n) => `line ${n} of the long task`).join('\n');
    expect(task.length).toBeGreaterThan(300_000);
    const { result, server } = await runAgent(name, {
      phases: [{ requires: ['answer'] }],
      script: [say(answer())],
      task,
    });
    expect(result.state).toBe('completed');
    const sent = JSON.stringify(task).slice(1, -1);
    expect(server.requests[0]?.body.includes(sent)).toBe(true);
  });

  test('gives its answer by a schema', async () => {
    const value = { status: 'declined', summary: 'nothing to do', reason: 'it is there already' };
    const { result, server } = await runAgent(name, {
      phases: [{ answerBy: 'schema' }],
      script: [structured(value)],
    });
    expect(result).toMatchObject({ state: 'failed', attempts: [{ outcome: 'declined' }] });
    expect(server.requests[0]?.schema).toMatchObject({ required: ['status', 'summary', 'reason'] });
  });
}

/** In a session of its own, as tools of agents are. */
const sleeping = shell('touch begun.txt; sleep 317');

/** The sleep of the script is on its way: the agent has begun a tool. */
function whenAsleep(event: RunEvent, directory: string, then: () => void): void {
  if (event.type !== 'attempt-started') return;
  void until(() => isAsleep(directory), 60_000).then(then);
}

/** Does a tool that an agent in this directory has begun sleep for so long? */
export function isAsleep(directory: string, seconds = '317'): boolean {
  return [...readTable().keys()].some((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
      return (
        (words[0] ?? '').endsWith('sleep') &&
        words[1] === seconds &&
        readFileSync(`/proc/${pid}/environ`, 'latin1').includes(directory)
      );
    } catch {
      return false;
    }
  });
}

function agentBelow(event: RunEvent): number {
  if (event.type !== 'attempt-started') throw new Error('no attempt');
  return agentOf(event.directory);
}

/** The agent's own process in an attempt: the child of the wrapper. @param attempt the attempt's directory */
export function agentOf(attempt: string): number {
  const claim = readClaim(attempt);
  if (claim === undefined || claim === 'lost') throw new Error('the wrapper has no claim');
  const child = [...readTable().values()].find(
    ({ parent, pid }) => parent === claim.pid && !isClock(pid),
  );
  if (child === undefined) throw new Error('the wrapper has no agent below it');
  return child.pid;
}

/** The wrapper's own clock is a shell. */
function isClock(pid: number): boolean {
  return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sh';
}

function checkoutOf(directory: string): string {
  const command = JSON.parse(readFileSync(path.join(directory, 'command.json'), 'utf8')) as {
    cwd: string;
  };
  return command.cwd;
}
