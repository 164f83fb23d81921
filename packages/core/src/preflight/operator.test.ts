import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunContext } from '../context.js';
import type { Phase } from '../workflow/workflow.js';
import { checkOperatorItems } from './operator.js';

const phase = { id: 1, name: 'plan', preflight: [{ hook: 'silent' }] } as unknown as Phase;

function ask(stop: AbortSignal) {
  const hooks = { silent: () => new Promise<undefined>(() => undefined) };
  const context = { definition: { id: 'x', task: 't' }, env: {}, stop, hooks };
  return checkOperatorItems(context as unknown as RunContext, phase, '/');
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a hook that never answers', () => {
  it('is a problem after five minutes', async () => {
    vi.useFakeTimers();
    const asked = ask(new AbortController().signal);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(await asked).toEqual([
      {
        code: 'PREFLIGHT_HOOK_FAILED',
        message: 'hook "silent": it has not answered in 5m 0s',
        hint: expect.any(String),
      },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is no longer waited for once the run is to stop', async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const asked = ask(stop.signal);
    stop.abort();
    expect(await asked).toMatchObject([{ message: expect.stringContaining('stopped') }]);
    expect(await ask(stop.signal)).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
