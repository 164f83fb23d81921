import { describe, expect, it } from 'vitest';
import { ended } from '../../test/journal-of.js';
import { phaseFacts } from './hand-over.js';

const attempt = {
  ...ended(1, 'completed', 1, { text: 'First, then second.' }),
  at: '2030-01-01T00:00:00.000Z',
};

describe('what a phase passed on', () => {
  it('says of one that was skipped that it was, and why', () => {
    const none = '(phase plan was skipped: no need)';
    expect(phaseFacts(undefined, 'plan', 'no need', undefined)).toEqual({
      summary: none,
      text: none,
      output: none,
      outcome: none,
      reasons: none,
      artifacts: none,
      events: none,
    });
  });

  it('is kept where the phase is skipped later on', () => {
    expect(phaseFacts(attempt, 'plan', 'no need', { artifacts: 'a file' })).toEqual({
      summary: 'First, then second.',
      text: 'First, then second.',
      output: '(phase plan left no structured output)',
      outcome: 'skipped',
      reasons: '- skipped: no need',
      artifacts: 'a file',
      events: '',
    });
    expect(phaseFacts(attempt, 'plan', undefined, undefined).outcome).toBe('completed');
  });
});
