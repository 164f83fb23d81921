import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { opened } from '../limit/breaker.js';
import { clearLimits, knownLimits } from '../limit/known-limits.js';
import { limitKeys, readLimit, writeLimit } from './limits-store.js';

const HOUR = 3_600_000;
const breaker = (adapter: string, resetsInMs = HOUR) =>
  opened(undefined, {
    adapter,
    account: 'subscription',
    agent: 'fast',
    run: 'a',
    repository: '/r',
    startedAt: new Date().toISOString(),
    at: Date.now(),
    resetsAt: new Date(Date.now() + resetsInMs).toISOString(),
  });

describe('what is known of limits', () => {
  let stateDir: string;
  let directory: string;
  beforeEach(() => {
    stateDir = temporaryDirectory();
    directory = path.join(stateDir, 'limits');
  });
  const place = () => ({ env: {}, stateDir });

  it('is nothing where no limit was ever met', () => {
    expect(readLimit(stateDir, 'abc')).toBeUndefined();
    expect(knownLimits(place())).toEqual([]);
    expect(readdirSync(stateDir)).toEqual([]);
  });

  it('is read as it was written, the one that ends first first', () => {
    writeLimit(stateDir, 'abc', breaker('codex'));
    writeLimit(stateDir, 'def', breaker('claude', 500));
    expect(readLimit(stateDir, 'abc')).toMatchObject({ breaker: { adapter: 'codex', v: 1 } });
    expect(knownLimits(place())).toMatchObject([
      { key: 'def', adapter: 'claude', state: 'open' },
      { key: 'abc', adapter: 'codex', state: 'open', failures: 1 },
    ]);
  });

  it('stays as it was where a write was cut off', () => {
    writeLimit(stateDir, 'abc', breaker('codex'));
    const whole = readFileSync(path.join(directory, 'abc.json'), 'utf8');
    writeFileSync(path.join(directory, 'abc.json.1234.tmp'), whole.slice(0, 20));
    expect(limitKeys(stateDir)).toEqual(['abc']);
    expect(readLimit(stateDir, 'abc')).toMatchObject({ breaker: { adapter: 'codex' } });
    clearLimits(place());
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each([
    ['half a file', '{"v":1,"adap', /abc\.json: /],
    ['another version', JSON.stringify({ ...breaker('codex'), v: 2 }), /"v"/],
    ['no instant', JSON.stringify({ ...breaker('codex'), until: 'soon' }), /"until"/],
  ])('is unreadable where the file holds %s, and says so', (_, content, why) => {
    mkdirSync(directory);
    writeFileSync(path.join(directory, 'abc.json'), content);
    expect(readLimit(stateDir, 'abc')).toEqual({ unreadable: expect.stringMatching(why) });
    expect(knownLimits(place())).toMatchObject([{ key: 'abc', state: 'unreadable' }]);
    expect(clearLimits(place(), 'abc')).toHaveLength(1);
    expect(knownLimits(place())).toEqual([]);
  });

  it('is forgotten by key, by adapter, or all of it; what is not known is an error', () => {
    const fill = () => {
      for (const [key, name] of [
        ['aa', 'codex'],
        ['bb', 'codex'],
        ['cc', 'claude'],
      ] as const)
        writeLimit(stateDir, key, breaker(name));
    };
    fill();
    expect(clearLimits(place(), 'aa').map(({ key }) => key)).toEqual(['aa']);
    fill();
    expect(
      clearLimits(place(), 'codex')
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(['aa', 'bb']);
    expect(limitKeys(stateDir)).toEqual(['cc']);
    expect(() => clearLimits(place(), 'codex')).toThrow('no limit is known of "codex"');
    fill();
    expect(clearLimits(place())).toHaveLength(3);
  });
});
