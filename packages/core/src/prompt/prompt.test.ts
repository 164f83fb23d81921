import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  intended,
  journalOf,
  phaseOf,
  started,
  workflowOf,
} from '../../test/journal-of.js';
import { findAnswer } from '../evidence/answer.js';
import { buildPrompt } from './prompt.js';
import { fold } from '../state/fold.js';
import type { CheckResult, Reason, RecordBody } from '../state/records.js';
import { RETRIED } from '../workflow/retries.js';
import type { Phase } from '../workflow/workflow.js';

const facts = {
  runId: 'run-1',
  branch: 'devflow/run-1/work',
  base: 'abc',
  task: 'add {{phase.name}}',
};
const plan = phaseOf(1, 'plan', { mode: 'review', requires: ['answer'] });
const code = phaseOf(2, 'code');
const validate = phaseOf(3, 'validate', { mode: 'review', requires: ['answer', 'verdict'] });

function promptOf(phase: Phase, bodies: readonly RecordBody[] = [], number = 1): string {
  const workflow = workflowOf([plan, code, validate], { variables: { style: 'plain {{task}}' } });
  return buildPrompt(workflow, phase, fold(journalOf(started, ...bodies)), number, facts);
}
const asking = (prompt: string, bodies?: readonly RecordBody[], number?: number) =>
  promptOf({ ...code, prompt }, bodies, number).split('\n\n## ')[0];

const gaps: Reason = { evidence: 'answer', says: 'no', text: 'the verdict is "gaps": no tests' };
const fine: Reason = { evidence: 'process', says: 'yes', text: 'the agent ended with exit 0' };
const sentBack = [
  entered(2),
  ...attempted(2, 'completed'),
  entered(3),
  intended(3),
  ended(3, 'rejected', 1, { reasons: [fine, gaps] }),
  entered(2, { sentBackBy: 3 }),
];

describe('a prompt', () => {
  it('has the facts of the run, and expands no value again', () => {
    expect(asking('{{task}} | {{phase.id}} {{phase.name}} {{phase.attempt}}', [], 3)).toBe(
      'add {{phase.name}} | 2 code 3',
    );
    expect(asking('{{run.id}} {{run.branch}} {{run.base}} {{run.since}} {{vars.style}}')).toBe(
      'run-1 devflow/run-1/work abc abc plain {{task}}',
    );
  });

  it('has what an earlier phase said', () => {
    const answer = { status: 'success', summary: 'two steps' } as const;
    const done = [
      entered(1),
      intended(1),
      ended(1, 'completed', 1, { answer, text: 'First, then second.' }),
    ];
    const all =
      '{{phases.plan.summary}} | {{phases.plan.text}} | {{phases.plan.outcome}} | {{phases.plan.reasons}}';
    expect(asking(all, done)).toBe(
      'two steps | First, then second. | completed | - yes: it completed',
    );
  });

  it('has the structured output of an earlier phase, and what it left in files', () => {
    const output = { steps: ['a', 'b'] };
    const answer = { status: 'success', output } as const;
    const done = [entered(1), intended(1), ended(1, 'completed', 1, { answer })];
    const state = fold(journalOf(started, ...done));
    const prompt =
      '{{phases.plan.output}} | {{phases.plan.artifacts}} | {{phases.plan.events}} | {{phases.code.events}}';
    const handedOver = new Map([['plan', { artifacts: 'the files', events: '- git: x' }]]);
    const more = { ...facts, handedOver };
    const [own] = buildPrompt(workflowOf([plan, code]), { ...code, prompt }, state, 1, more).split(
      '\n\n## ',
    );
    const json = JSON.stringify(output, undefined, 2);
    expect(own).toBe(`${json} | the files | - git: x | (phase code has not run)`);
    expect(asking('{{phases.plan.output}}', [entered(1), ...attempted(1, 'completed')])).toBe(
      '(phase plan left no structured output)',
    );
  });

  it('has no marker of another tool either: the same one would be an echo', () => {
    const text = 'Fine.\n\nPR REVIEW: approve';
    const done = [entered(1), intended(1), ended(1, 'completed', 1, { text }), entered(2)];
    const prompt = promptOf({ ...code, prompt: '{{phases.plan.text}}' }, done);
    expect(prompt).toMatch(/^Fine\.\n\n## How to finish/);
    expect(findAnswer('PR REVIEW: approve', prompt).answer).toMatchObject({ verdict: 'pass' });
  });

  it.each(['**DEVFLOW_RESULT**: {"status":"success"}', 'PR_REVIEW: approve', '# NOT READY'])(
    'has no line that was meant as an answer and could not be read: %s',
    (line) => {
      const text = `Fine.\n\n${line}`;
      const done = [entered(1), intended(1), ended(1, 'completed', 1, { text }), entered(2)];
      const prompt = promptOf({ ...code, prompt: '{{phases.plan.text}}' }, done);
      expect(prompt).toMatch(/^Fine\.\n\n## How to finish/);
    },
  );

  it('has no answer of the phase that sent the run back, or the same one would be an echo', () => {
    const text = 'No tests.\n\nPR REVIEW: request changes';
    const back = [
      entered(2),
      ...attempted(2, 'completed'),
      entered(3),
      intended(3),
      ended(3, 'rejected', 1, { reasons: [gaps], text }),
      entered(2, { sentBackBy: 3 }),
    ];
    const prompt = promptOf(code, back, 2);
    expect(prompt).toContain('In its own words:\n\n```\nNo tests.\n```');
  });

  it('says so where a phase has not run, or left no text', () => {
    expect(asking('{{phases.plan.summary}} {{phases.plan.outcome}}')).toBe(
      '(phase plan has not run) (phase plan has not run)',
    );
    expect(asking('{{phases.plan.text}}', [entered(1), ...attempted(1, 'completed')])).toBe(
      '(it left no text)',
    );
  });

  it('has no answer of an earlier phase in its text, or the same answer would be an echo', () => {
    const answer = 'DEVFLOW_RESULT: {"status":"success","summary":"done"}';
    const done = (text: string) => [
      entered(1),
      intended(1),
      ended(1, 'completed', 1, { text, answer: { status: 'success', summary: 'done' } }),
      entered(2),
    ];
    const prompt = promptOf(
      { ...code, prompt: '{{phases.plan.text}}' },
      done(`The plan.\n\n${answer}\n`),
    );
    expect(prompt).toMatch(/^The plan\.\n\n## How to finish/);
    expect(findAnswer(answer, prompt).answer).toMatchObject({ status: 'success' });
    expect(asking('{{phases.plan.text}}', done(answer))).toBe('done');
  });

  it('ends with how to finish, and what the phase requires', () => {
    expect(promptOf(code)).toMatch(
      /Commit your work .*\n- Leave no uncommitted .*\n- Nobody can answer/,
    );
    expect(promptOf(code)).not.toContain('verdict');
    expect(promptOf(validate)).toContain('"verdict":"<pass or gaps>"');
    expect(promptOf(validate)).toContain('This is a review');
    expect(promptOf(validate)).not.toContain('Commit your work');
    expect(promptOf(code).trimEnd().split('\n').at(-1)).toMatch(
      /^DEVFLOW_RESULT: \{"status":"<.*\}$/,
    );
  });

  it('of a first attempt has nothing of before', () => {
    expect(promptOf(code, [entered(2)])).not.toMatch(/What happened|What was found/);
  });

  it('says why the attempt before was not accepted', () => {
    const reasons = [fine, gaps];
    const before = [entered(2), intended(2), ended(2, 'rejected', 1, { reasons })];
    const prompt = promptOf(code, before, 2);
    expect(prompt).toContain(
      '## What happened before\n\nAn earlier attempt at this phase was not accepted.',
    );
    expect(prompt).toContain(`\n- ${gaps.text}\n`);
    expect(prompt).not.toContain(fine.text);
  });

  it('tells a review that nothing is left of one that stopped early', () => {
    const before = [entered(1), ...attempted(1, 'timed-out')];
    expect(promptOf(plan, before, 2)).toContain('Nothing of what it did is left');
    expect(promptOf(plan, before, 2)).not.toContain('still there');
  });

  it('tells unfinished from defective', () => {
    for (const outcome of [
      'incomplete',
      'timed-out',
      'idle',
      'crashed',
      'over-budget',
      'stopped',
    ] as const)
      expect(promptOf(code, [entered(2), ...attempted(2, outcome)], 2)).toContain('stopped early');
    for (const outcome of ['rejected', 'no-change', 'failed', 'declined'] as const)
      expect(promptOf(code, [entered(2), ...attempted(2, outcome)], 2)).toContain(
        'was not accepted',
      );
  });

  it('names each attempt of the visit before the last one in a line, and says what to do otherwise', () => {
    const reasons = (text: string): Reason[] => [{ evidence: 'process', says: 'no', text }];
    const tried = [
      entered(2),
      ...attempted(2, 'completed'),
      entered(2, { sentBackBy: 3 }),
      intended(2, 2),
      ended(2, 'failed', 2, { reasons: [fine, ...reasons(`exit 1:\nno ${'x'.repeat(500)}`)] }),
      ...attempted(2, 'idle', 3),
      intended(2, 4),
      ended(2, 'timed-out', 4, { reasons: reasons('the time limit was reached') }),
    ];
    const prompt = promptOf(code, tried, 5);
    expect(prompt).toContain('Commit what is done as you go');
    expect(prompt).toContain('- the time limit was reached\n\nThat was attempt 4; before it:\n\n');
    expect(prompt).toMatch(
      /\n- attempt 2, failed: exit 1: no x{100,200}…\n- attempt 3, idle: it idle\n/,
    );
    expect(prompt).not.toContain('attempt 1');
    const second = promptOf(code, [entered(2), ...attempted(2, 'failed')], 2);
    expect(second).not.toContain('before it:');
  });

  it('names the last few attempts only, however many there were', () => {
    const many = Array.from({ length: 30 }, (_, index) => attempted(2, 'failed', index + 1)).flat();
    const prompt = promptOf(code, [entered(2), ...many], 31);
    expect(prompt.match(/^- attempt \d+/gm)).toEqual(
      [26, 27, 28, 29].map((number) => `- attempt ${number}`),
    );
  });

  it('has more than its name to say of each outcome that is tried again', () => {
    for (const outcome of [...RETRIED, 'over-budget'] as const) {
      const prompt = promptOf(code, [entered(2), ...attempted(2, outcome)], 2);
      const [, said = ''] = /## What happened before\n\n([^\n]*)/.exec(prompt) ?? [];
      expect(`${outcome}: ${said}`).toMatch(/: .{70,}/);
    }
  });

  it('says what a later phase found', () => {
    const prompt = promptOf(code, sentBack, 2);
    expect(prompt).toContain(`## What was found\n\nA later phase found gaps`);
    expect(prompt).toContain(`- ${gaps.text}`);
    expect(prompt).not.toContain('What happened before');
  });

  it('still says what a later phase found where the attempt to mend it stopped early', () => {
    const prompt = promptOf(code, [...sentBack, ...attempted(2, 'crashed', 2)], 3);
    expect(prompt).toContain(`- ${gaps.text}`);
    expect(prompt.indexOf('## What was found')).toBeLessThan(
      prompt.indexOf('## What happened before'),
    );
  });

  it('of a phase that sends itself back has what it found, not what it did since', () => {
    const own = [
      entered(3),
      intended(3),
      ended(3, 'rejected', 1, { reasons: [gaps] }),
      entered(3, { sentBackBy: 3 }),
    ];
    const prompt = promptOf(validate, [...own, ...attempted(3, 'crashed', 2)], 3);
    expect(prompt.match(/the verdict is "gaps"/g)).toHaveLength(1);
    expect(prompt).toContain('it crashed');
  });

  it('shows the end of a failed check, in a fence that it cannot close', () => {
    const check = (output: string, passed = false): CheckResult => ({
      name: 'test',
      command: ['t'],
      passed,
      ended: 'exit 1',
      output,
      durationMs: 1,
    });
    const before = (output: string) => [
      entered(2),
      intended(2),
      ended(2, 'rejected', 1, { checks: [check(output), check('fine', true)] }),
    ];
    const fenced = promptOf(code, before('start\n```js\nx\n````\n## How to finish'), 2);
    expect(fenced).toContain(
      'The check "test" failed (exit 1). The end of its output:\n\n`````\nstart\n```js\nx\n````\n## How to finish\n`````\n',
    );
    expect(fenced).not.toContain('fine');
    expect(promptOf(code, before(`old${'x'.repeat(5_000)}`), 2)).not.toContain('old');
  });

  it('never takes a value for a template or a pattern of replacement', () => {
    const text = '$& $1 {{task}} \\{{task}} `$(id)`';
    const done = [entered(1), intended(1), ended(1, 'completed', 1, { text })];
    expect(asking('a {{phases.plan.text}} z', done)).toBe(`a ${text} z`);
  });
});
