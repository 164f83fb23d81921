import { describe, expect, it } from 'vitest';
import { code, plan, problemsOf } from '../../test/workflow-problems.js';
import { resolveWorkflow } from './workflow.js';

const phaseProblems = (...phases: unknown[]) => problemsOf({ phases });

describe('a definition that is wrong', () => {
  it('is refused with every problem at once: where, what was found, what is expected', () => {
    const wrong = {
      fases: [],
      maxAttempts: 0,
      branchPrefix: 'a/b',
      sandbox: 'srt',
      defaults: { timout: '1m' },
      worktree: { keep: 'never', setup: [{}] },
      profiles: { Fast: { adapter: 'x' }, slow: { env: { A: 1 } } },
      phases: [
        { id: 0, name: 'Plan', prompt: '', mode: 'play', retries: 1.5 },
        {
          id: '1',
          name: 'code',
          prompt: 'x',
          timeout: 20,
          idleTimeout: '20',
          maxOutput: '1G',
          requires: ['commits'],
        },
        {
          id: 3,
          name: 'x',
          prompt: 'x',
          checks: [{ command: [] }, { command: 'npm test' }, { command: [''] }],
          preflight: [{ comand: ['x'] }],
          onGaps: { goto: 'x', max: 0, min: 1 },
        },
      ],
    };
    expect(problemsOf(wrong).toSorted()).toEqual([
      'branchPrefix: expected a plain word, such as "devflow", found "a/b"',
      'defaults.timout: unknown key; did you mean "timeout"?',
      'fases: unknown key; did you mean "phases"?',
      'maxAttempts: expected 1 or more, found 0',
      'phases[0].id: expected 1 or more, found 0',
      'phases[0].mode: expected "work" or "review", found "play"',
      'phases[0].name: expected a name of lower-case letters, digits and hyphens, found "Plan"',
      'phases[0].prompt: expected a text that is not empty, found ""',
      'phases[0].retries: expected a whole number, found 1.5',
      'phases[1].id: expected a whole number, found "1"',
      'phases[1].idleTimeout: expected a duration such as "90s", "20m" or "2h", 36500d at most, found "20"',
      'phases[1].maxOutput: expected a size such as "200MB" or "1GB", found "1G"',
      'phases[1].requires[0]: expected "commit" or "clean" or "answer" or "verdict" or "changes" or "files" or "checks", found "commits"',
      'phases[1].timeout: expected a string, found 20',
      'phases[2].checks[0].command: expected a program and its arguments, such as ["npm", "test"], found []',
      'phases[2].checks[1].command: expected a list of words, such as ["npm", "test"], found "npm test"',
      'phases[2].checks[2].command: expected the first word to name a program, found [""]',
      'phases[2].onGaps.max: expected 1 or more, found 0',
      'phases[2].onGaps.min: unknown key; did you mean "max"?',
      'phases[2].preflight[0].comand: unknown key; did you mean "command"?',
      'phases[2].preflight[0].command: expected a list of words, such as ["npm", "test"], found nothing',
      'profiles.Fast: Invalid key in record, found {"adapter":"x"}',
      'profiles.slow.env.A: expected a string, found 1',
      'sandbox: expected "none" or "own", found "srt"',
      'worktree.keep: expected "unfinished" or "always", found "never"',
      'worktree.setup[0].command: expected a list of words, such as ["npm", "test"], found nothing',
    ]);
  });

  it.each([undefined, null, 3, 'x', [], () => ({})])('such as %s is refused', (definition) => {
    expect(problemsOf(definition).length).toBeGreaterThan(0);
  });

  it('has a count of its problems in its message', () => {
    expect(() => resolveWorkflow({ phases: [] }, '/', 'x.json')).toThrow('x.json has a problem');
    expect(() => resolveWorkflow({ phases: [], a: 1, b: 1 }, '/', 'x.json')).toThrow(
      'x.json has 3 problems',
    );
  });

  it('holds no function, wherever it is', () => {
    const say = 'a function (a workflow is data; give code by name under hooks)';
    const fn = () => 'x';
    expect(
      problemsOf({
        profiles: { p: { adapter: 'x', deep: fn } },
        phases: [{ ...plan, prompt: fn, preflight: [{ hook: fn }], checks: [{ command: fn }] }],
      }),
    ).toEqual([
      `profiles.p.deep: expected plain data, found ${say}`,
      `phases[0].prompt: expected a string, found ${say}`,
      `phases[0].checks[0].command: expected a list of words, such as ["npm", "test"], found ${say}`,
      `phases[0].preflight[0].hook: expected a string, found ${say}`,
    ]);
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    for (const option of [circle, [fn], { deep: { deeper: fn } }, new Date(), 1n, Symbol('x')])
      expect(problemsOf({ profiles: { p: { adapter: 'x', option } }, phases: [plan] })).toEqual([
        expect.stringMatching(/^profiles\.p\.option: expected plain data/),
      ]);
  });

  it('has budgets that can be used up, and retries of what is tried again', () => {
    expect(
      problemsOf({
        budget: { enforce: 'live' },
        defaults: { budget: { usd: 0, token: 5 }, retryDelay: 'soon', retries: 'many' },
        phases: [
          { ...plan, retries: { auth: 1, stopped: 0, idle: -1, crash: 1, failed: 2 } },
          { ...code, budget: { tokens: 1.5, wallClock: '2', enforce: 'never' }, retries: {} },
        ],
      }).toSorted(),
    ).toEqual([
      'budget: expected one or more of usd, tokens and wallClock, found {"enforce":"live"}',
      'defaults.budget.token: unknown key; did you mean "tokens"?',
      'defaults.budget.usd: expected more than 0, found 0',
      'defaults.retries: expected a whole number, found "many"',
      'defaults.retryDelay: expected a duration such as "90s", "20m" or "2h", 36500d at most, found "soon"',
      'phases[0].retries.auth: auth is never retried: the next agent is asked, or the run waits for a login',
      'phases[0].retries.crash: unknown key; did you mean "crashed"?',
      'phases[0].retries.idle: expected 0 or more, found -1',
      'phases[0].retries.stopped: stopped is never retried: a person ended it',
      'phases[1].budget.enforce: expected "live" or "between-attempts", found "never"',
      'phases[1].budget.tokens: expected a whole number, found 1.5',
      'phases[1].budget.wallClock: expected a duration such as "90s", "20m" or "2h", 36500d at most, found "2"',
    ]);
  });

  it('has ids that ascend and names that are different', () => {
    expect(phaseProblems(code, plan, { ...code, id: 1 }, { ...plan, id: 7 })).toEqual([
      'phases[1].id: expected a number above 2, found 1',
      'phases[2].id: expected a number above 1, found 1',
      'phases[2].name: "code" is taken by an earlier phase',
      'phases[3].name: "plan" is taken by an earlier phase',
    ]);
  });

  it('requires no evidence that can never be had, and gathers none that would not count', () => {
    const checks = [{ command: ['true'] }];
    expect(
      phaseProblems(
        { ...plan, mode: 'review', requires: ['commit'] },
        { ...code, mode: 'review', requires: ['clean'] },
        { id: 3, name: 'c', prompt: 'x', requires: ['checks'] },
        { id: 4, name: 'd', prompt: 'x', requires: ['answer'], checks },
        { id: 5, name: 'e', prompt: 'x', requires: ['answer'], onGaps: { goto: 'c', max: 1 } },
      ),
    ).toEqual([
      'phases[0].requires: a review keeps no commits, so "commit" can never hold',
      'phases[1].requires: a review\'s checkout is thrown away, so "clean" would decide nothing',
      'phases[2].requires: "checks" is required but the phase has no checks',
      'phases[3].checks: expected "checks" in requires, or the checks would decide nothing',
      'phases[4].onGaps: expected "verdict" in requires, or gaps would never be found',
    ]);
  });

  it('goes back to a phase that is there and not ahead', () => {
    const back = (goto: string) => ({ ...plan, onGaps: { goto, max: 1 } });
    expect(phaseProblems(back('plan'))).toEqual([]);
    expect(phaseProblems(back('paln'), code)).toEqual([
      'phases[0].onGaps.goto: no phase "paln" up to here; did you mean "plan"?',
    ]);
    expect(phaseProblems(back('code'), code)).toEqual([
      expect.stringMatching(/^phases\[0\]\.onGaps\.goto: no phase "code" up to here/),
    ]);
  });

  it.each(['onRejected', 'onGaps', 'onFailed'] as const)(
    'goes back by %s to a phase that is there and not ahead',
    (loop) => {
      const checks = [{ command: ['true'] }];
      const back = (goto: string) => ({ ...plan, checks, [loop]: { goto, max: 1 } });
      expect(phaseProblems(back('plan'), code)).toEqual([]);
      expect(phaseProblems(back('paln'), code)).toEqual([
        `phases[0].${loop}.goto: no phase "paln" up to here; did you mean "plan"?`,
      ]);
      expect(phaseProblems(back('code'), code)).toEqual([
        expect.stringContaining(`phases[0].${loop}.goto: no phase "code" up to here`),
      ]);
    },
  );

  it('goes back for what is rejected only where something can be', () => {
    const onRejected = { goto: 'plan', max: 1 };
    const onGaps = { goto: 'plan', max: 1 };
    const review = { ...plan, mode: 'review', onRejected };
    const problem = [
      expect.stringMatching(/^phases\[0\]\.onRejected: expected "checks", "verdict"/),
    ];
    expect(phaseProblems({ ...plan, onRejected })).toEqual(problem);
    expect(phaseProblems({ ...review, onGaps })).toEqual(problem);
    expect(phaseProblems({ ...review, requires: ['answer', 'verdict'] })).toEqual([]);
    const checks = [{ command: ['true'] }];
    expect(phaseProblems({ ...review, onGaps, checks })).toEqual([]);
  });

  it('names no variable that is not there', () => {
    const prompt = String.raw`{{task}} {{vars.style}} {{vars.stile}} {{phases.plan.summry}} {{phases.ship.text}} \{{any}} {{taks}}`;
    expect(problemsOf({ variables: { style: 'x' }, phases: [{ ...plan, prompt }] })).toEqual([
      'phases[0].prompt: unknown variable {{vars.stile}}; did you mean "vars.style"?',
      'phases[0].prompt: unknown variable {{phases.plan.summry}}; did you mean "phases.plan.summary"?',
      expect.stringMatching(/^phases\[0\]\.prompt: unknown variable \{\{phases\.ship\.text\}\}; /),
      'phases[0].prompt: unknown variable {{taks}}; did you mean "task"?',
    ]);
  });
});
