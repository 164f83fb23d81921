import { describe, expect, it } from 'vitest';
import { shapeProblems } from './shape.js';

describe('the shape of an adapter', () => {
  const good = {
    name: 'mine',
    capabilities: { modes: ['work'] },
    execCommand: () => undefined,
    completionSignalDetected: () => true,
  };

  it('needs no more than four members', () => {
    expect(shapeProblems(good)).toEqual([]);
  });

  it('may name the efforts that it takes', () => {
    const capabilities = { modes: ['work'], effort: ['low', 'high'] };
    expect(shapeProblems({ ...good, capabilities })).toEqual([]);
  });

  it('does not throw where a member does', () => {
    const thrower = {
      get(): never {
        throw new Error('boom');
      },
    };
    const hostile = Object.defineProperty({ ...good }, 'execCommand', thrower);
    expect(shapeProblems(hostile)).toEqual(['execCommand: cannot be read: Error: boom']);
    const capabilities = Object.defineProperty({}, 'modes', thrower);
    expect(shapeProblems({ ...good, capabilities })).toEqual([
      'capabilities: cannot be read: Error: boom',
    ]);
    const proxy: unknown = new Proxy(good, thrower);
    expect(shapeProblems(proxy)).toContain('name: cannot be read: Error: boom');
    const nameless = {
      get: (): never => {
        throw Object.create(null) as Error; // what has no words
      },
    };
    expect(shapeProblems(new Proxy(good, nameless))).toContain(
      'name: cannot be read: something was thrown that has no words',
    );
  });

  it('may not look like a promise', () => {
    // oxlint-disable-next-line unicorn/no-thenable -- that is what is refused
    expect(shapeProblems({ ...good, then: () => undefined })).toEqual([
      'then: expected nothing, found a function',
    ]);
  });

  it.each([
    ['name', 'My Agent'],
    ['capabilities', {}],
    ['capabilities', { modes: [] }],
    ['capabilities', { modes: ['work'], models: 'yes' }],
    ['capabilities', { modes: ['work'], effort: [1] }],
    ['capabilities', { modes: ['work'], usage: { tokens: 'live' } }],
    ['envFrom', 'PATH'],
    ['searchPath', [1]],
    ['source', 'here'],
    ['configure', {}],
    ['execCommand', undefined],
    ['completionSignalDetected', true],
    ['extraEnv', {}],
    ['preflight', []],
    ['createParser', 'x'],
    ['sandboxNeeds', 1n],
  ])('does not allow %s to be %o', (member, value) => {
    expect(shapeProblems({ ...good, [member]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${member}: expected .+, found .+`)),
    ]);
  });
});
