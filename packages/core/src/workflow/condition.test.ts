import { describe, expect, it } from 'vitest';
import { phaseOf, workflowOf } from '../../test/journal-of.js';
import { conditionProblems, isTrue } from './condition.js';

const workflowWith = (when: string) =>
  workflowOf([phaseOf(1, 'plan'), phaseOf(2, 'code-review', { when })], {
    variables: { style: 'plain' },
  });
const problems = (when: string) => conditionProblems(workflowWith(when));
const facts = (more: { readonly task?: string; readonly output?: unknown } = {}) => ({
  task: more.task ?? 'add it',
  run: { id: 'r', branch: 'b', base: 'c', attempts: 2n },
  vars: { style: 'plain' },
  phases: {
    plan: {
      outcome: 'completed',
      verdict: 'none',
      summary: 'two steps',
      output: more.output ?? { risk: 3, files: ['a.ts', 'b.md'], note: null },
    },
    'code-review': { outcome: 'not-run', verdict: 'none', summary: '', output: null },
  },
});
const value = (when: string, more?: Parameters<typeof facts>[0]) =>
  isTrue(when, workflowWith(when), facts(more));

describe('an expression', () => {
  it.each([
    ['phases.plan.outcome == "completed"', true],
    ['phases["code-review"].outcome in ["rejected", "not-run"]', true],
    ['phases.plan.verdict != "gaps" && vars.style == "plain"', true],
    ['task.startsWith("fix")', false],
    ['phases.plan.summary.contains("steps")', true],
    ['run.attempts > 5', false],
    ['phases.plan.output.risk >= 3', true],
    ['phases.plan.output.files.exists(file, file.endsWith(".ts"))', true],
    ['has(phases.plan.output.nothing)', false],
    ['phases.plan.output.note == null', true],
  ])('%s is %s', (when, expected) => {
    expect(problems(when)).toEqual([]);
    expect(value(when)).toBe(expected);
  });

  it.each([
    [
      'phases.plan.outcome =',
      /^phases\[1\]\.when: Unexpected .* \(at character 21\); known: task, /,
    ],
    [
      'phases.pln.outcome == "x"',
      /No such key: pln \(at character 8\); known: .*phases\.plan, phases\["code-review"\]$/,
    ],
    ['has(phases.pln)', /No such key: pln/],
    ['vars.stile == "x"', /No such key: stile.*vars\.style/],
    ['phases.code-review.outcome == "x"', /No such key: code /],
    ['phases.plan.text == "x"', /No such key: text/],
    ['task', /expected what is true or false, found a value of type string/],
    ['phases.plan', /expected what is true or false/],
    ['task == 1', /no such overload: string == int/],
    [
      'phases.plan.outcome == "complete"',
      /"complete" is no outcome \(at character 24\); known: completed, .*skipped, not-run/,
    ],
    [
      '!(phases["code-review"].verdict in ["pass", "gap"])',
      /"gap" is no verdict .*known: pass, gaps, none/,
    ],
    ['true ? phases.plan.outcome != "done" : false', /"done" is no outcome/],
    ['true &&'.repeat(600) + 'true', /exceed/i],
  ])('%s is refused', (when, sentence) => {
    expect(problems(when)).toEqual([expect.stringMatching(sentence)]);
  });

  it('reaches nothing but what it is given', () => {
    for (const name of ['process', 'globalThis', 'require', 'constructor', 'this', 'now()'])
      expect(problems(`${name} == null`)).toHaveLength(1);
    for (const key of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
      for (const when of [
        `phases.plan.output.${key} == null`,
        `phases.plan.output["${key}"] == null`,
      ])
        expect(() => value(when)).toThrow(/No such key/);
    expect(problems('task.constructor == null')).toHaveLength(1);
    expect(problems('vars["__proto__"] == null')).toHaveLength(1);
  });

  it('that cannot be told is no answer', () => {
    expect(() => value('phases["code-review"].output.risk > 1')).toThrow(/No such key/);
    expect(() => value('phases.plan.output.risk')).toThrow('it is neither true nor false');
    expect(() => value('phases.plan.output.risk > "a"')).toThrow(/no such overload/);
  });

  it('that would go on for ever is ended', () => {
    const task = `${'a'.repeat(60)}b`;
    const start = performance.now();
    expect(() => value('task.matches("(a+)+$")', { task })).toThrow(/timed out/);
    const all = Array.from({ length: 2_000 }, (_, index) => index);
    const loops = 'all(a, phases.plan.output.all(b, phases.plan.output.all(c, a + b + c >= 0.0)))';
    expect(() => value(`phases.plan.output.${loops}`, { output: all })).toThrow(/timed out/);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
