import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, Probe } from '../src/adapter/index.js';
import { outcomes, rig } from './rig.js';
import { burn, done, parser, runAdapter, scripted } from './scripted-adapter.js';

describe('every member of the contract is used', () => {
  it('completionSignalDetected: false means incomplete, whatever the parser says', async () => {
    const yes = await runAdapter(scripted(done, { createParser: parser({}) }));
    expect(outcomes(yes.result)).toEqual(['1 completed']);
    const no = await runAdapter(
      scripted(done, { createParser: parser({}), completionSignalDetected: () => false }),
    );
    expect(outcomes(no.result)).toEqual(['1 incomplete']);
  });

  it('completionSignalDetected: true never overrules an error of the agent', async () => {
    const failure = { kind: 'failed', message: 'overloaded' } as const;
    const { result } = await runAdapter(
      scripted(done, {
        createParser: parser({ turn: 'failed', failure }),
        completionSignalDetected: () => true,
      }),
    );
    expect(outcomes(result)).toEqual(['1 failed']);
    expect(result.reason).toMatch(/overloaded/);
  });

  it('completionSignalDetected is given the last whole lines, up to a megabyte', async () => {
    const given: string[] = [];
    const script = `yes "$(printf 'x%.0s' $(seq 99))" | head -n 30000; ${done}`;
    await runAdapter(
      scripted(script, { completionSignalDetected: (output) => given.push(output) > 0 }),
    );
    expect(given).toHaveLength(1);
    expect(given[0]?.length).toBeGreaterThan(900_000);
    expect(given[0]?.length).toBeLessThanOrEqual(1_000_000);
    expect(given[0]).toMatch(/^x{99}\n[^]*DEVFLOW_RESULT.*\n$/);
  });

  it('createParser: its events are shown and kept, one in flight is only shown', async () => {
    const event = { v: 1, name: 'Bash', summary: 'tests', state: 'working', child: false } as const;
    const events: AgentEvent[] = [
      { ...event, kind: 'command', running: true },
      { ...event, kind: 'command', ok: true },
    ];
    const used = await runAdapter(scripted(done, { createParser: parser({}, events) }));
    const shown = used.events.flatMap((runEvent) =>
      runEvent.type === 'agent' ? [runEvent.event] : [],
    );
    expect(shown).toEqual(events);
    const kept = readFileSync(path.join(used.attempt('test', '01-one', 1), 'events.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(kept.map((line) => JSON.parse(line) as object)).toEqual([
      { at: expect.any(String), ...events[1] },
    ]);
  });

  it('createParser: an open tool call is no silence', async () => {
    const ended = async (openCalls: number, seconds: number) => {
      const createParser = parser({ turn: 'unknown' }, [], openCalls);
      const agent = scripted(`echo start; ${burn(seconds)}; ${done}`, { createParser });
      return outcomes((await runAdapter(agent, { idleTimeout: '700ms' })).result);
    };
    expect(await ended(0, 20)).toEqual(['1 idle']);
    expect(await ended(1, 2)).toEqual(['1 completed']);
  });

  it('a rate limit makes the run wait for its reset, and says until when', async () => {
    const failure = {
      kind: 'rate-limited',
      message: '5-hour limit',
      resetsAt: new Date(Date.now() + 3_600_000).toISOString(),
    } as const;
    const { result } = await runAdapter(
      scripted(`${done}; exit 1`, { createParser: parser({ turn: 'failed', failure }) }),
      { retries: 5 },
    );
    expect(outcomes(result)).toEqual(['1 rate-limited']);
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'reset' });
    const later = Date.parse(result.until ?? '') - Date.parse(failure.resetsAt);
    expect(later).toBeGreaterThanOrEqual(1_000);
    expect(later).toBeLessThanOrEqual(60_000);
  });

  it('a lost login makes the run wait for a person, and is asked for again', async () => {
    const asked: boolean[] = [];
    const preflight = ({ checkLogin }: Probe) => {
      asked.push(checkLogin);
      return Promise.resolve({ problems: [], notes: [] });
    };
    const failure = { kind: 'auth', message: 'key refused' } as const;
    const adapter = scripted(done, {
      preflight,
      createParser: parser({ turn: 'failed', failure }),
    });
    const { result } = await runAdapter(adapter, { retries: 5 });
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'login',
      reason: expect.stringMatching(/key refused/),
    });
    const { result: two } = await runAdapter(scripted(done, { preflight }), {});
    expect(two.state).toBe('completed');
    expect(asked).toEqual([true, true]);
  });

  it('usage and cost are kept as the agent states them; one that is unknown leaves the sum unknown', async () => {
    const usage = { inputTokens: 10, outputTokens: 2 };
    const known = await runAdapter(
      scripted(done, { createParser: parser({ usage, costUsd: 0.5 }) }),
    );
    expect(known.result).toMatchObject({ costUsd: 0.5, attempts: [{ usage, costUsd: 0.5 }] });
    const unknown = await runAdapter(scripted(done, { createParser: parser({}) }));
    expect(unknown.result.costUsd).toBeUndefined();
  });

  it('secrets that are passed on are taken out of events', async () => {
    const event = {
      v: 1,
      kind: 'text',
      name: 'x',
      summary: 'key is very-secret-value',
      state: 'working',
      child: false,
    } as const;
    const adapter = scripted(done, { envFrom: ['MY_KEY'], createParser: parser({}, [event]) });
    const used = await rig();
    const { events } = await runAdapter(
      adapter,
      {},
      { env: { ...used.repository.env, MY_KEY: 'very-secret-value' } },
    );
    const shown = events.flatMap((runEvent) =>
      runEvent.type === 'agent' ? [runEvent.event.summary] : [],
    );
    expect(shown).toEqual(['key is [redacted]']);
  });
});
