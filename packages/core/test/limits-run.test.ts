/** A run that waits for a limit: how it goes on. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stop } from '../src/index.js';
import { clearLimits, knownLimits } from '../src/limit/known-limits.js';
import { agent } from './reporting-agent.js';
import { LATER, SOON, limitedRig } from './limited-agent.js';
import { expectError, expectNothingLeft, outcomes, until } from './rig.js';

/** The instant of a run has come. */
const isDue = (at: string | undefined) => () => Date.parse(at ?? '') <= Date.now();

describe('a run whose agent has reached a limit', () => {
  it('waits until a moment after the reset, which is journalled once, and says that nobody stays for it', async () => {
    const used = await limitedRig(LATER);
    used.limit(1);
    const result = await used.begin('a');
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'reset' });
    const [ended] = used.journal('a').filter(({ type }) => type === 'attempt-ended');
    const late = Date.parse(result.until ?? '') - Date.parse(String(ended?.['resetsAt']));
    expect(late).toBeGreaterThanOrEqual(1_000);
    expect(late).toBeLessThanOrEqual(60_000);
    expect(used.told('run-waiting')).toMatchObject([{ until: result.until, stays: false }]);
    for (let look = 0; look < 2; look += 1)
      expect(await used.view('a')).toMatchObject({
        state: 'waiting',
        until: result.until,
        reason: expect.stringContaining('nobody waits for it'),
      });
  });

  it('stays where it was told to, and goes on by itself: in its session, with what is there already', async () => {
    const sessions: (string | undefined)[] = [];
    const used = await limitedRig(SOON);
    const [adapter] = used.adapters;
    used.limit(1);
    const result = await used.begin('a', {
      wait: true,
      adapters: [
        {
          ...adapter,
          execCommand(request) {
            sessions.push(request.sessionId);
            return adapter.execCommand(request);
          },
        },
      ],
    });
    expect(result.state).toBe('completed');
    expect(outcomes(result)).toEqual(['1 rate-limited', '1 completed']);
    expect(sessions.filter((session) => session !== undefined)).toEqual(['s-1']);
    expect(used.prompt()).toContain('What it committed or left in the working tree is still there');
    expect(used.journal('a').map(({ type }) => type)).toContain('wait-over');
    expect(used.told('run-waiting')).toMatchObject([{ stays: true }]);
    expect(used.told('wait-over')).toHaveLength(1);
    await expectNothingLeft(used);
  });

  it('is stopped while it stays by a request; where only its caller goes it waits on', async () => {
    const used = await limitedRig(LATER);
    used.limit(2);
    const first = used.begin('a', { wait: true });
    await until(() => used.told('run-waiting').length === 1);
    expect(await stop('a', { cwd: used.repository.root, env: used.repository.env })).toMatchObject({
      state: 'stopped',
    });
    expect(await first).toMatchObject({ state: 'stopped' });
    expect(await first).not.toHaveProperty('until');

    const controller = new AbortController();
    const second = used.begin('b', { wait: true, signal: controller.signal });
    await until(() => used.told('run-waiting').length === 2);
    controller.abort();
    expect(await second).toMatchObject({ state: 'waiting', waitingFor: 'reset' });
    expect(used.launches()).toBe(1); // b was told by a
    expect((await used.view('b')).state).toBe('waiting');
  });

  it('is taken up once its instant has come, and not before; by one of two at once', async () => {
    const used = await limitedRig(SOON);
    used.limit(1);
    const { until: at } = await used.begin('a');
    await expectError(used.goOn('a', { due: true }), 'RUN_NOT_DUE', /the run "a" is not due/);
    expect(used.launches()).toBe(1);
    await until(isDue(at));
    expect(await used.view('a')).toMatchObject({
      state: 'due',
      reason: expect.stringContaining('nobody runs it: `devflow resume --due`'),
    });
    const both = await Promise.allSettled([1, 2].map(() => used.goOn('a', { due: true })));
    const codes = both.map((each) =>
      each.status === 'fulfilled' ? each.value.state : (each.reason as { code: string }).code,
    );
    expect(codes).toContain('completed');
    expect(['RUN_HELD', 'RUN_NOT_DUE']).toContain(codes.find((code) => code !== 'completed'));
    expect(used.launches()).toBe(2);
    expect(used.journal('a').find(({ type }) => type === 'run-resumed')).toMatchObject({
      by: 'due',
    });
    await expectError(used.goOn('a', { due: true }), 'RUN_NOT_DUE', /not due/);
  });

  it('heeds a stop that was asked of its dead holder where it is only due', async () => {
    const used = await limitedRig(SOON);
    used.limit(1);
    const { until: at } = await used.begin('a');
    writeFileSync(path.join(used.repository.root, '.git/devflow/runs/a/inbox/stop-x.json'), '{}');
    await until(isDue(at));
    expect(await used.goOn('a', { due: true })).toMatchObject({ state: 'stopped' });
    expect(used.launches()).toBe(1);
  });

  it('waits anew, by backoff, where the limit still holds and no reset is said', async () => {
    const used = await limitedRig(undefined, { account: 'unknown' });
    used.limit(2);
    const first = await used.begin('a');
    const minutes = (result: { until?: string; attempts: readonly unknown[] }) =>
      (Date.parse(result.until ?? '') - Date.now()) / 60_000;
    expect(minutes(first)).toBeGreaterThan(0.8);
    expect(minutes(first)).toBeLessThan(1.2);
    const again = await used.goOn('a'); // a person tries at once: it begins anew
    expect(minutes(again)).toBeLessThan(1.2);
    expect(used.launches()).toBe(2);
  });
});

describe('what one run has learned of an account', () => {
  it('the next one goes by: it asks nobody, and waits until then', async () => {
    const used = await limitedRig(LATER);
    used.limit(1);
    const first = await used.begin('a');
    const second = await used.begin('b');
    expect(used.launches()).toBe(1);
    expect(second).toMatchObject({ state: 'waiting', waitingFor: 'reset', attempts: [] });
    const apart = Date.parse(second.until ?? '') - Date.parse(first.until ?? '');
    expect(Math.abs(apart)).toBeLessThan(60_000);
    expect(used.notes()).toMatch(
      /as the run "a" in \S+ learned; `devflow limits clear [0-9a-f]{16}`/,
    );
    expect(await used.repository.git('branch', '--list', 'devflow/b/*')).toBe('');
  });

  it('goes in its order to the next agent of a chain', async () => {
    const used = await limitedRig(LATER);
    used.limit(1);
    await used.begin('a');
    const second = agent('second', 'exit 0');
    const workflow = {
      phases: [{ id: 1, name: 'one', prompt: 'Do it', agent: ['limited', 'second'], retries: 0 }],
    };
    const result = await used.begin('b', { workflow, adapters: [...used.adapters, second] });
    expect(result.attempts.map(({ agent: name }) => name)).toEqual(['second']);
  });

  it('holds for a person who resumes before the reset, until it is forgotten', async () => {
    const used = await limitedRig(LATER);
    used.limit(1);
    await used.begin('a');
    expect(await used.goOn('a')).toMatchObject({ state: 'waiting' });
    expect(used.launches()).toBe(1);
    expect(clearLimits({ env: used.repository.env })).toMatchObject([
      { adapter: 'limited', run: 'a' },
    ]);
    expect(await used.goOn('a')).toMatchObject({ state: 'completed' });
  });

  it('is over once a turn has gone through', async () => {
    const used = await limitedRig(SOON);
    used.limit(1);
    const { until: at } = await used.begin('a');
    const place = { env: used.repository.env };
    expect(knownLimits(place)).toHaveLength(1);
    await until(isDue(at));
    expect(knownLimits(place)).toMatchObject([{ state: 'half-open' }]);
    expect(await used.goOn('a', { due: true })).toMatchObject({ state: 'completed' });
    expect(knownLimits(place)).toEqual([]);
  });

  it('is not said of another key, another model, or an account that nobody names', async () => {
    const used = await limitedRig(LATER, {
      envFrom: ['THE_KEY'],
      capabilities: { modes: ['work'], models: true },
    });
    const { env } = used.repository;
    used.limit(1);
    const one = { env: { ...env, THE_KEY: 'a-secret-of-one' } };
    await used.begin('a', one);
    expect((await used.begin('b', { env: { ...env, THE_KEY: 'another-secret' } })).state).toBe(
      'completed',
    );
    expect((await used.begin('c', { ...one, model: 'small' })).state).toBe('completed');
    expect((await used.begin('d', one)).state).toBe('waiting');
    const known = knownLimits({ env });
    expect(known).toHaveLength(1);
    const file = path.join(used.stateDir, 'limits', `${known[0]?.key}.json`);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');

    const nameless = await limitedRig(LATER, { account: 'unknown' });
    nameless.limit(1);
    await nameless.begin('a');
    expect((await nameless.begin('b')).state).toBe('completed');
    expect(existsSync(path.join(nameless.stateDir, 'limits'))).toBe(false);
  });

  it('is left out where it cannot be read, and that is said', async () => {
    const used = await limitedRig(LATER);
    used.limit(1);
    await used.begin('a');
    const [known] = knownLimits({ env: used.repository.env });
    writeFileSync(path.join(used.stateDir, 'limits', `${known?.key}.json`), '{"v":1,');
    expect((await used.begin('b')).state).toBe('completed');
    expect(used.notes()).toMatch(
      /limited: what is known of its limits cannot be read, and is left out/,
    );
  });

  it('that cannot be kept is said, and its run goes by its journal', async () => {
    const used = await limitedRig(LATER);
    used.limit(1);
    const stateDir = path.join(used.repository.directory, 'state');
    const begun = used.begin('a', { stateDir });
    await until(() => existsSync(path.join(stateDir, 'worktrees')));
    writeFileSync(path.join(stateDir, 'limits'), 'in the way');
    expect(await begun).toMatchObject({ state: 'waiting', waitingFor: 'reset' });
    expect(used.notes()).toMatch(/other runs do not learn what came of the account of limited: /);
  });
});
