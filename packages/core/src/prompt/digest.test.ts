import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../adapter/index.js';
import { applyRules, digest, truncate } from './digest.js';
import type { DigestRule } from '../workflow/schema-hand-over.js';

const event = (kind: AgentEvent['kind'], more: Partial<AgentEvent> = {}): AgentEvent => ({
  v: 1,
  kind,
  name: 'tool',
  summary: `a ${kind}`,
  state: 'working',
  child: false,
  ...more,
});
const one = (events: readonly AgentEvent[], missing: readonly string[] = []) => [
  { attempt: 1, outcome: 'completed', events, missing },
];

describe('a digest', () => {
  it('shows no answer of the phase: the next one could copy it', () => {
    const text = 'All is done.\nDEVFLOW_RESULT: {"status":"success","summary":"it"}';
    const said = event('text', { summary: text, text });
    expect(digest(one([said]), { events: [] })).toBe('- text: All is done. | text: All is done.');
  });
});

describe('the rules of a digest', () => {
  const command = event('command', {
    summary: 'npm test',
    cmd: 'npm test --silent',
    detail: 'abcdefghij',
    ok: false,
  });

  it('cut the event as it arrived: a cut is never cut again', () => {
    const rules: DigestRule[] = [
      { event: '*', key: 'detail', truncate: 5 },
      { event: 'command', key: 'detail', truncate: 2 },
    ];
    expect(applyRules(command, rules)?.detail).toBe('ab…[8 more]');
    expect(applyRules(command, rules.toReversed())?.detail).toBe('abcde…[5 more]');
  });

  it('count in order: the last one that fits a key decides about it', () => {
    const remove: DigestRule = { event: '*', key: 'detail', remove: true };
    const keep: DigestRule = { event: 'command', key: 'detail', truncate: 100 };
    expect(applyRules(command, [remove, keep])?.detail).toBe('abcdefghij');
    expect(applyRules(command, [keep, remove])?.detail).toBeUndefined();
    expect(applyRules(event('edit', { detail: 'x' }), [remove, keep])?.detail).toBeUndefined();
  });

  it('look at the event as it arrived, not at what an earlier rule left of it', () => {
    const rules: DigestRule[] = [
      { event: '*', key: 'cmd', remove: true },
      { event: '*', where: { cmd: 'npm *' }, key: 'detail', remove: true },
    ];
    expect(applyRules(command, rules)).toEqual({ summary: 'npm test' });
  });

  it('leave out an event as a whole where they name no key', () => {
    const gone: DigestRule = { event: 'command', where: { ok: false }, remove: true };
    expect(applyRules(command, [gone, { event: '*', key: 'cmd', truncate: 9 }])).toBeUndefined();
    expect(applyRules({ ...command, ok: true }, [gone])).toBeDefined();
    expect(applyRules(event('command'), [gone])).toBeDefined();
  });

  it.each([
    ['npm *', true],
    ['*--silent', true],
    ['*test*', true],
    ['npm*test*silent', true],
    ['npm test --silent', true],
    ['*', true],
    ['npm', false],
    ['*test', false],
    ['test*', false],
    ['npm test --silent*silent', false],
    ['n.m *', false],
    ['', false],
  ])('take %j for a pattern of its command: %s', (cmd, fits) => {
    const rule: DigestRule = { event: '*', where: { cmd }, remove: true };
    expect(applyRules(command, [rule]) === undefined).toBe(fits);
  });

  it('take a pattern of an event that has no such key for none', () => {
    const rule: DigestRule = { event: '*', where: { file: '*' }, remove: true };
    expect(applyRules(command, [rule])).toBeDefined();
  });
});

describe('a cut text', () => {
  it('has its first characters whole, and says how many are gone', () => {
    expect(truncate('🙂🙂🙂🙂', 3)).toBe('🙂🙂🙂…[1 more]');
    expect(truncate('🙂🙂', 2)).toBe('🙂🙂');
    expect(truncate('abc', 0)).toBe('…[3 more]');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, count) => {
        const all = Array.from(text);
        const rest = all.length - count;
        const expected = rest <= 0 ? text : `${all.slice(0, count).join('')}…[${rest} more]`;
        expect(truncate(text, count)).toBe(expected);
      }),
    );
  });
});

describe('a digest', () => {
  it('has what was changed and run, in a line each, where there are no rules', () => {
    const events = [
      event('session'),
      event('read'),
      event('command', { summary: 'ls\n  -l', cmd: 'ls -l', detail: 'long' }),
      event('edit', { file: 'a.ts', summary: '' }),
      event('test', { ok: false, summary: 'x'.repeat(250) }),
      event('plan', { child: true }),
      event('text', { text: 'I did it.' }),
      event('git', { ok: true }),
    ];
    expect(digest(one(events), {}).split('\n')).toEqual([
      '- command: ls -l',
      '- edit: tool',
      `- test (failed): ${'x'.repeat(200)}…[50 more]`,
      '- git: a git',
    ]);
  });

  it('has all that rules of its own leave', () => {
    const events = [event('text', { text: 'a\nb', summary: 's' }), event('read', { file: 'f' })];
    expect(digest(one(events), { events: [] })).toBe(
      '- text: s | text: a b\n- read: a read | file: f',
    );
  });

  it('leaves out the earliest, and says how many', () => {
    const events = Array.from({ length: 12 }, (_, index) => event('git', { summary: `${index}` }));
    expect(digest(one(events), { maxEvents: 2 })).toBe(
      '[10 earlier events left out]\n- git: 10\n- git: 11',
    );
    const long = Array.from({ length: 100 }, () => event('text', { text: 'x'.repeat(1e5) }));
    const text = digest(one(long), { events: [], maxEvents: 1_000 });
    expect(text.length).toBeLessThan(61_000);
    expect(text).toMatch(/^\[8\d earlier events left out\]\n- text: a text \| text: x/);
    expect(text).toMatch(/x…\[\d+ more\]$/);
  });

  it('is never empty: it says that there was nothing, that nothing is left, or what cannot be read', () => {
    expect(digest(one([]), {})).toBe('(no events)');
    expect(digest(one([event('read'), event('usage')]), {})).toBe(
      '(2 events, none of which the rules leave)',
    );
    expect(digest(one([event('git')], ['2 of its events cannot be read']), {})).toBe(
      '(2 of its events cannot be read)\n- git: a git',
    );
  });

  it('tells attempts apart', () => {
    const attempts = [
      { attempt: 1, outcome: 'idle', events: [event('git'), event('git')], missing: [] },
      { attempt: 2, outcome: 'completed', events: [event('edit')], missing: [] },
    ];
    expect(digest(attempts, { maxEvents: 2 })).toBe(
      '[1 earlier event left out]\n\nattempt 1, idle:\n- git: a git\n\nattempt 2, completed:\n- edit: a edit',
    );
    expect(digest(attempts, { maxEvents: 1 })).toContain('attempt 1, idle:\n(left out)\n\n');
  });
});
