import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, isMarked, readAnswer } from './answer.js';

const line = (value: unknown) => `DEVFLOW_RESULT: ${JSON.stringify(value)}`;
const success = { status: 'success' } as const;

describe('a line', () => {
  it('is an answer as the contract asks for it', () => {
    const answer: Answer = { status: 'declined', verdict: 'gaps', summary: 's', reason: 'r' };
    expect(readAnswer(line(answer))).toEqual(answer);
  });

  it.each([
    ['bold', `**${line(success)}**`],
    ['bold up to the colon', `**DEVFLOW_RESULT:** ${JSON.stringify(success)}`],
    ['in code', `\`${line(success)}\``],
    ['with its value in code', `DEVFLOW_RESULT: \`${JSON.stringify(success)}\``],
    ['quoted', `> ${line(success)}`],
    ['indented', `   ${line(success)}  `],
    ['emphasised', `_${line(success)}_`],
    ['without a space', `DEVFLOW_RESULT:${JSON.stringify(success)}`],
    ['with a carriage return', `${line(success)}\r`],
    ['with more spaces', 'DEVFLOW_RESULT:   { "status" : "success" }'],
  ])('may be %s', (_, decorated) => {
    expect(readAnswer(decorated)).toEqual(success);
  });

  it.each([
    [
      'the template',
      'DEVFLOW_RESULT: {"status":"<success, failed or declined>","summary":"<what was done>"}',
    ],
    ['a status in capitals', line({ status: 'SUCCESS' })],
    ['an unknown status', line({ status: 'done' })],
    ['no status', line({ verdict: 'pass' })],
    ['a status that is no text', line({ status: true })],
    ['a verdict that is spelled wrongly', line({ status: 'success', verdict: 'passed' })],
    ['a verdict in capitals', line({ status: 'success', verdict: 'PASS' })],
    ['a verdict that is no text', line({ status: 'success', verdict: true })],
    ['the template of a verdict', line({ status: 'success', verdict: '<pass or gaps>' })],
    ['an array', 'DEVFLOW_RESULT: ["success"]'],
    ['nothing', 'DEVFLOW_RESULT:'],
    ['a word', 'DEVFLOW_RESULT: success'],
    ['broken JSON', 'DEVFLOW_RESULT: {"status":"success"'],
    ['JSON with single quotes', "DEVFLOW_RESULT: {'status':'success'}"],
    ['two values', `${line(success)} {"status":"failed"}`],
    ['words before it', `I will print ${line(success)}`],
    ['words behind it', `${line(success)} as you asked`],
    ['another word for it', line(success).replace('DEVFLOW_RESULT', 'RESULT')],
    ['small letters', line(success).toLowerCase()],
  ])('with %s is none', (_, text) => {
    expect(readAnswer(text)).toBeUndefined();
  });

  it('has no verdict where that is null, and no words where they are no text', () => {
    expect(
      readAnswer(line({ status: 'success', verdict: null, summary: 1, reason: ['x'], more: 1 })),
    ).toEqual(success);
  });

  it('is never taken for an answer that it does not hold, whatever it is', () => {
    const anyLine = fc.oneof(
      fc.string(),
      fc.json().map((json) => `DEVFLOW_RESULT: ${json}`),
      fc.object().map(line),
    );
    fc.assert(
      fc.property(anyLine, (text) => {
        const answer = readAnswer(text);
        return (
          answer === undefined ||
          ['success', 'failed', 'declined'].some((status) => text.includes(`"${status}"`))
        );
      }),
    );
  });

  it('gives back every answer that was written into it', () => {
    const anyAnswer = fc.record(
      {
        status: fc.constantFrom('success' as const, 'failed' as const, 'declined' as const),
        verdict: fc.constantFrom('pass' as const, 'gaps' as const),
        summary: fc.string({ unit: 'grapheme', minLength: 1 }),
        reason: fc.string({ minLength: 1 }),
      },
      { requiredKeys: ['status'] },
    );
    fc.assert(
      fc.property(anyAnswer, (answer) => {
        expect(readAnswer(line(answer))).toEqual(answer);
      }),
    );
    const separated = { ...success, summary: 'one\u2028two\u2029three' };
    expect(readAnswer(line(separated))).toEqual(separated);
  });

  it('begins like an answer also where it cannot be read', () => {
    expect(isMarked('**DEVFLOW_RESULT:** {"status":"done"}')).toBe(true);
    expect(isMarked('- DEVFLOW_RESULT: {"status":"failed"}')).toBe(true);
    expect(isMarked('### 1. **DEVFLOW_RESULT** {"status":"failed"}')).toBe(true);
    expect(isMarked('the DEVFLOW_RESULT: line')).toBe(false);
    expect(isMarked('## DEVFLOW_RESULT')).toBe(false);
  });

  it('of megabytes takes no time', () => {
    const start = performance.now();
    for (const long of [
      `DEVFLOW_RESULT: {${'}*'.repeat(1e6)}x`,
      `${'*'.repeat(2e6)}x`,
      `DEVFLOW_RESULT: ${'{'.repeat(2e6)}`,
    ])
      expect(readAnswer(long)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
