import { describe, expect, it } from 'vitest';
import { code, plan, problemsOf } from '../../test/workflow-problems.js';

const shape = 'phases[0].mode: expected "work" or "review", found "play"';
const wrong = { ...plan, mode: 'play' };

describe('what is wrong besides a wrong shape', () => {
  it('is told with it, of the other phases', () => {
    const phases = [
      wrong,
      { ...code, id: 1, name: 'plan', requires: ['files'], onGaps: { goto: 'ship', max: 1 } },
      { ...code, id: 3, prompt: '{{taks}} {{vars.style}}', answer: { requird: [] } },
    ];
    const notify = [{ webhook: 'ftp://x' }, { webhok: 'x' }];
    expect(problemsOf({ variables: { style: 'x' }, notify, phases }).toSorted()).toEqual([
      'notify[0].webhook: expected a URL that begins with https:// or http://, without user and password',
      'notify[1].webhok: unknown key; did you mean "webhook"?',
      shape,
      expect.stringMatching(/^phases\[1\]\.id: expected a number above 1/),
      'phases[1].name: "plan" is taken by an earlier phase',
      'phases[1].onGaps.goto: no phase "ship" up to here; known: plan',
      'phases[1].onGaps: expected "verdict" in requires, or gaps would never be found',
      'phases[1].requires: "files" is required but the phase has no files',
      expect.stringMatching(/^phases\[2\]\.answer: .*requird/),
      'phases[2].prompt: unknown variable {{taks}}; did you mean "task"?',
    ]);
  });

  it('is told of the phase itself, by what does not hang on what is wrong', () => {
    const more = { answer: 7, onFailed: { goto: 'ship', max: 1 }, prompt: '{{taks}}' };
    expect(problemsOf({ phases: [{ ...wrong, ...more }] })).toEqual([
      shape,
      expect.stringMatching(/^phases\[0\]\.answer: expected a JSON Schema/),
      'phases[0].prompt: unknown variable {{taks}}; did you mean "task"?',
      'phases[0].onFailed.goto: no phase "ship" up to here; known: plan',
    ]);
  });

  it.each<[string, unknown, unknown[]]>([
    ['evidence', { ...plan, requires: ['file'], files: ['a'], onRejected: { goto: 'plan', max: 1 } }, [code]],
    ['files to hand over', { ...plan, handOver: { artifact: ['a'] } }, [{ ...code, prompt: '{{phases.plan.artifacts}}' }]],
    ['a name', { ...plan, name: 'Plan' }, [{ ...code, prompt: '{{phases.Plan.text}}' }]],
    ['no name', { ...plan, name: 7 }, [{ ...code, prompt: '{{phases.plan.text}}', onFailed: { goto: 'plan', max: 1 } }]],
    ['a number', { ...plan, id: '1' }, [code]],
    ['no phase', 7, [code]],
    ['a prompt', { ...plan, prompt: 7 }, [code]],
  ])('is nothing that comes of what is left out: %s', (_, first, rest) => {
    expect(problemsOf({ phases: [first, ...rest] })).toHaveLength(1);
  }); // prettier-ignore

  it('is told also where the defaults or the variables are wrong', () => {
    const phases = [
      { ...plan, prompt: '{{taks}}' },
      { ...code, id: 1, answer: 7 },
    ];
    const besides = [
      expect.stringMatching(/^phases\[1\]\.answer: expected a JSON Schema/),
      expect.stringMatching(/^phases\[1\]\.id: expected a number above 1/),
    ];
    expect(problemsOf({ defaults: { timout: '1m' }, phases })).toEqual([
      'defaults.timout: unknown key; did you mean "timeout"?',
      besides[0],
      'phases[0].prompt: unknown variable {{taks}}; did you mean "task"?',
      besides[1],
    ]);
    expect(problemsOf({ variables: 7, phases })).toEqual([
      expect.stringMatching(/^variables: /),
      ...besides,
    ]);
  });

  it('is not looked for where it would hang on what is wrong', () => {
    const prompt = '{{vars.style}}';
    expect(problemsOf({ variables: 7, phases: [{ ...plan, prompt }] })).toHaveLength(1);
    expect(problemsOf({ variables: { style: 7 }, phases: [{ ...plan, prompt }] })).toHaveLength(1);
    const phase = { ...plan, checkFrom: 'base', checks: [{ command: ['true'] }] };
    expect(problemsOf({ defaults: { protect: ['/a'] }, phases: [phase] })).toHaveLength(1);
  });
});
