import { describe, expect, it } from 'vitest';
import { type Case, allEvidence, judged } from '../../test/judged-case.js';
import type { EvidenceFacts } from './observation.js';
import type { Outcome, Reason } from '../state/records.js';

const changes = (missing: boolean, forbidden: boolean): EvidenceFacts => ({
  changes: {
    must: [{ pattern: 'src/**', paths: missing ? [] : ['src/a', 'src/b'] }],
    mustNot: [{ pattern: 'test/**', paths: forbidden ? ['test/a'] : [] }],
  },
});
const files = (is: string): EvidenceFacts => ({ files: [{ file: 'docs/plan.md', is }] });
const answer = (output?: unknown) =>
  ({ status: 'success', ...(output !== undefined && { output }) }) as const;
const outputAsked = { evidence: ['answer'], output: true } as const;
const only = (...evidence: ('changes' | 'files')[]) => ({ asked: { evidence } });

describe('an attempt', () => {
  // prettier-ignore
  const cases: [name: string, attempt: Case, outcome: Outcome, reasons: [Reason['evidence'], Reason['says'], string][]][] = [
    ['what must change is as it was', { ...only('changes'), evidence: changes(true, false) }, 'incomplete',
      [['changes', 'no', 'nothing that matches "src/**" changed']]],
    ['what must not change changed', { ...only('changes'), evidence: changes(false, true) }, 'rejected',
      [['changes', 'no', '"test/**" must not change: test/a']]],
    ['both: wrong goes before unfinished', { ...only('changes'), evidence: changes(true, true) }, 'rejected',
      [['changes', 'no', '"test/**" must not change: test/a'], ['changes', 'no', 'nothing that matches "src/**" changed']]],
    ['the changes could not be measured', { ...only('changes'), evidence: { errors: ['fatal: broken'] } }, 'incomplete',
      [['changes', 'unknown', 'what is changed could not be measured: fatal: broken']]],
    ['a file is missing', { ...only('files'), evidence: files('nothing') }, 'incomplete',
      [['files', 'no', 'docs/plan.md is not there as a file: nothing']]],
    ['a link is in the place of a file', { ...only('files'), evidence: files('a symbolic link') }, 'incomplete',
      [['files', 'no', 'docs/plan.md is not there as a file: a symbolic link']]],
    ['the files were not looked at', { ...only('files'), evidence: {} }, 'incomplete',
      [['files', 'unknown', 'what is there could not be measured: no answer']]],
    ['no file was looked at', { ...only('files'), evidence: { files: [] } }, 'incomplete',
      [['files', 'unknown', 'what is there could not be measured: no answer']]],
    ['the answer has no output', { asked: outputAsked, answer: answer() }, 'incomplete',
      [['answer', 'no', 'the answer has no "output"']]],
    ['the output does not hold', { asked: outputAsked, answer: answer(1), evidence: { output: ['.a: must be string', ': x'] } }, 'incomplete',
      [['answer', 'no', 'output.a: must be string'], ['answer', 'no', 'output: x']]],
    ['the output was not validated', { asked: outputAsked, answer: answer(1), evidence: {} }, 'incomplete',
      [['answer', 'unknown', 'the output was not validated']]],
    ['nothing of it is asked for', { asked: { evidence: [] }, evidence: { ...changes(true, true), ...files('nothing'), output: ['x'] } }, 'completed', []],
    ['the agent declined and gave no output', { asked: outputAsked, answer: { status: 'declined' } }, 'declined',
      [['answer', 'no', 'the agent answered "declined"']]],
  ];

  it.each(cases)('of which %s', (_, attempt, outcome, reasons) => {
    const verdict = judged({ answer: answer(), ...attempt });
    const said = verdict.reasons.filter(({ says }) => says !== 'yes');
    expect(verdict.outcome).toBe(outcome);
    expect(said.map(({ evidence, says, text }) => [evidence, says, text])).toEqual(reasons);
  });

  it('names what it has', () => {
    const { reasons } = judged({
      asked: { evidence: ['answer', 'changes', 'files'], output: true },
      answer: answer({}),
      evidence: { ...allEvidence, ...changes(false, false) },
    });
    expect(reasons.filter(({ says }) => says === 'yes').map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'the output holds by the schema of the phase',
        'nothing that matches "test/**" changed',
        'changed by "src/**": src/a, src/b',
        'docs/plan.md is there',
      ]),
    );
  });
});
