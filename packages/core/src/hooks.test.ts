import { describe, expect, it } from 'vitest';
import { phaseOf, workflowOf } from '../test/journal-of.js';
import { hashHooks, hookNames, requireHooks } from './hooks.js';

const command = { name: 'true', command: ['true'], timeoutMs: 1 };
const workflow = workflowOf([
  phaseOf(1, 'plan', { preflight: [{ hook: 'ready' }, command] }),
  phaseOf(2, 'code', { preflight: [{ hook: 'ready' }, { hook: 'approved' }] }),
]);

describe('hooks', () => {
  it('are found by their names, each once', () => {
    expect(hookNames(workflow)).toEqual(['ready', 'approved']);
    expect(hookNames(workflowOf([phaseOf(1, 'plan')]))).toEqual([]);
  });

  it('must all be there, and those that are not are named at once', () => {
    const ready = () => [];
    expect(() => requireHooks(workflow, { ready, approved: ready })).not.toThrow();
    expect(() => requireHooks(workflow, { redy: ready })).toThrow(
      expect.objectContaining({
        code: 'HOOK_MISSING',
        problems: [
          'hook "ready" is not defined; did you mean "redy"?',
          'hook "approved" is not defined; known: redy',
        ],
      }),
    );
  });

  it('have a hash that changes with their source and with nothing else', () => {
    const hooks = { ready: () => [], approved: () => undefined, unused: () => [] };
    const hashes = hashHooks(workflow, hooks);
    expect(Object.keys(hashes)).toEqual(['ready', 'approved']);
    expect(hashHooks(workflow, { ...hooks, unused: () => undefined })).toEqual(hashes);
    const changed = hashHooks(workflow, {
      ...hooks,
      ready: () => [{ code: 'C', message: 'm', hint: 'h' }],
    });
    expect(changed['ready']).not.toBe(hashes['ready']);
    expect(changed['approved']).toBe(hashes['approved']);
  });
});
