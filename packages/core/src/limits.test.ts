import { describe, expect, it } from 'vitest';
import { type Sight, attemptLimits } from './limits.js';

/** Limits under a clock of the test's. */
function watched() {
  let time = 0;
  const limits = attemptLimits({ idleTimeoutMs: 600_000, maxOutputBytes: 1_000 }, () => time);
  return (seconds: number, sight: Partial<Sight> = {}) => {
    time = seconds * 1_000;
    return limits.reached({ size: 0, openCalls: 0, waitsForLimit: false, ...sight });
  };
}

describe('an attempt', () => {
  it('is idle once it has printed nothing for too long, and anew after each print', () => {
    const at = watched();
    expect(at(0)).toBeUndefined();
    expect(at(590, { size: 1 })).toBeUndefined();
    expect(at(1_180, { size: 1 })).toBeUndefined();
    expect(at(1_200, { size: 1 })).toBe('idle');
  });

  it('is not idle while a tool call is open', () => {
    const at = watched();
    expect(at(0)).toBeUndefined();
    expect(at(5_000, { openCalls: 1 })).toBeUndefined();
    expect(at(5_001)).toBe('idle');
  });

  it('prints too much at its limit', () => {
    const at = watched();
    expect(at(0, { size: 1_000 })).toBeUndefined();
    expect(at(1, { size: 1_001 })).toBe('output');
  });

  it('is not left to wait for a limit by itself, whatever it prints meanwhile', () => {
    const at = watched();
    expect(at(10, { waitsForLimit: true, size: 1 })).toBeUndefined();
    expect(at(39, { waitsForLimit: true, size: 2 })).toBeUndefined();
    expect(at(41, { waitsForLimit: true, size: 3 })).toBe('limit');
  });

  it('may wait again where the model has answered in between', () => {
    const at = watched();
    expect(at(0, { waitsForLimit: true })).toBeUndefined();
    expect(at(20)).toBeUndefined();
    expect(at(45, { waitsForLimit: true })).toBeUndefined();
    expect(at(76, { waitsForLimit: true })).toBe('limit');
  });
});
