import { describe, expect, it } from 'vitest';
import { stop } from '../src/index.js';
import { done, outcomes, rig, until } from './rig.js';

/** Fails first, then does its work. */
const second = `test -e ../tried || { touch ../tried; exit 1; }; ${done}`;

describe('a pause before a further attempt', () => {
  it('is kept, and said with its end', async () => {
    const used = await rig();
    const result = await used.run([{ script: second, retries: 1, retryDelay: '400ms' }]);
    expect(outcomes(result)).toEqual(['1 failed', '1 completed']);
    const [pause] = used.events.filter((event) => event.type === 'retry-pause');
    expect(pause).toMatchObject({ phase: 1 });
    expect(pause?.ms).toBeGreaterThan(0);
    expect(pause?.ms).toBeLessThanOrEqual(400);
    const journal = used.journal('test');
    const at = (type: string, index: number) =>
      Date.parse(String(journal.filter((record) => record['type'] === type)[index]?.['at']));
    expect(at('attempt-intended', 1) - at('attempt-ended', 0)).toBeGreaterThanOrEqual(399);
  });

  it('ends at once where the run is stopped', async () => {
    const used = await rig();
    const running = used.run([{ script: second, retries: 1, retryDelay: '5m' }]);
    await until(() => used.events.some(({ type }) => type === 'retry-pause'));
    const { root: cwd, env } = used.repository;
    expect(await stop('test', { cwd, env })).toMatchObject({ state: 'stopped' });
    const result = await running;
    expect(outcomes(result)).toEqual(['1 failed']);
    expect(result).toMatchObject({ state: 'stopped', reason: 'stopped between attempts' });
  });
});
