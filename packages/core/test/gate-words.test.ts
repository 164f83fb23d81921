import { describe, expect, it } from 'vitest';
import { type GateWord, answerGate, gateFacts } from '../src/index.js';
import { again, decisions, goOn, promptOf, where } from './gate-rig.js';
import { expectError, outcomes, rig } from './rig.js';

const two = [{ script: again }, { script: again, gate: 'after' as const }];

describe('what a person says at a gate', () => {
  it('is kept without what steers a terminal, in its lines', async () => {
    const used = await rig();
    await used.run(two);
    const note = ' one\u001B[31m red\u001B[0m\r\n\ttwo\u0007\u001B]0;title\u0007\u009B \n';
    await answerGate('test', { decision: 'reject', note, goto: '1' }, where(used));
    const decided = used.journal('test').findLast(({ type }) => type === 'gate-decided');
    expect(decided).toMatchObject({ note: 'one red\n\ttwo', goto: 1 });
    expect(outcomes(await goOn(used)).slice(2, 3)).toEqual(['1 completed']);
    expect(promptOf(used, '01-step-1', 2)).toContain('```\none red\n\ttwo\n```');
  });

  it('is refused where it says nothing, is too long, or goes where there is no way', async () => {
    const used = await rig();
    await used.run([...two, { script: again }]);
    const refused: [GateWord, RegExp][] = [
      [{ decision: 'approve', note: '' }, /the note is empty/],
      [{ decision: 'abort', note: '\u001B[A\u0000 ' }, /the note is empty/],
      [{ decision: 'approve', note: 'x'.repeat(10_001) }, /has 10001 characters: at most 10000/],
      [{ decision: 'reject', note: 'x', goto: '3' }, /no way back to phase 3 step-3$/],
      [{ decision: 'reject', note: 'x', goto: 'step-3' }, /no way back to phase 3 step-3$/],
      [{ decision: 'reject', note: 'x', goto: '4' }, /there is no phase "4"$/],
    ];
    const hints: string[] = [];
    for (const [word, sentence] of refused) {
      const answer = answerGate('test', word, where(used));
      hints.push((await expectError(answer, 'GATE_ANSWER_INVALID', sentence)).hint);
    }
    expect(hints.filter((hint) => hint.endsWith('1 step-1, 2 step-2.'))).toHaveLength(3);
    expect(decisions(used)).toEqual([]);
    const longest = { decision: 'approve', note: 'x'.repeat(10_000) } as const;
    expect((await answerGate('test', longest, where(used))).decided).toMatchObject(longest);
  });
});

describe('what is shown at a gate', () => {
  it('has a diffstat that fits a narrow terminal', async () => {
    const used = await rig();
    const wide = `mkdir -p ${'d'.repeat(60)}; seq 500 >${'d'.repeat(60)}/${'f'.repeat(60)}; git add .;`;
    await used.run([{ script: `${wide} ${again}`, gate: 'after' }]);
    const lines = (await gateFacts('test', where(used)))?.diffstat?.split('\n') ?? [];
    expect(lines.length).toBeGreaterThan(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
  });
});
