import { describe, expect, it } from 'vitest';
import { DevflowError, ERRORS, type ErrorCode } from './errors.js';

const codes = Object.keys(ERRORS) as ErrorCode[];

describe('an error', () => {
  it.each(codes)('%s says what to do next', (code) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    const error = new DevflowError(code, 'it is so');
    expect(error.hint).toMatch(/^[\w`].{15,}[.`]$/s);
    expect(error).toMatchObject({ name: 'DevflowError', code, message: 'it is so', problems: [] });
  });

  it('may have a better hint, its cause and all that is wrong', () => {
    const cause = new Error('deep');
    const error = new DevflowError('CONFIG_INVALID', 'm', {
      hint: 'Do this.',
      cause,
      problems: ['a', 'b'],
    });
    expect(error).toMatchObject({ hint: 'Do this.', problems: ['a', 'b'] });
    expect(error.cause).toBe(cause);
  });
});
