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
