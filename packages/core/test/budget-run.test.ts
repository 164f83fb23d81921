import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentAdapter } from '../src/adapter/index.js';
import { command } from '../src/command/index.js';
import { status } from '../src/index.js';
import { scriptedAgent } from '../src/testing/index.js';
import { expectError, expectNothingLeft, objections, outcomes, processesOf, until } from './rig.js';
import { start } from './reporting-agent.js';
import type { RunOptions } from '../src/start.js';
import type { PhaseDefinition, WorkflowDefinition } from '../src/workflow/schema.js';
import { AT_END, LIVE, finish, spend, spender } from './spending-agent.js';

const FOR_EVER = 'setsid sleep 1000 & while :; do sleep 0.05; done';
/** What a script does that must commit something new each time. */
const work = (tokens: number, usd = 0) =>
  `echo $$ >a && git add a && git commit --quiet --message 'Add a' && ${finish(tokens, usd)}`;
const begin = (
  adapter: AgentAdapter,
  workflow: Partial<WorkflowDefinition> = {},
  phase: Partial<PhaseDefinition> = {},
  more: Partial<RunOptions> = {},
) => start([adapter], workflow, { agent: adapter.name, ...phase }, more);
const phase = (id: number, name: string) => ({ id, name, prompt: 'x', agent: 'spender' });
const two = [phase(1, 'one'), phase(2, 'two')];

describe('an agent that states what it uses as it goes', () => {
  it('is ended in the middle of its turn at the limit, and leaves no process', async () => {
    const agent = spender(`${spend(60)}; ${spend(60)}; ${FOR_EVER}`, LIVE);
    const used = await begin(agent, { budget: { tokens: 100 } }, { retries: 3 });
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 over-budget']);
    const said = 'the budget of the run is used up: 120 of 100 tokens';
    expect(objections(result)[0]).toBe(`the agent was ended: ${said}`);
    expect(result).toMatchObject({
      state: 'failed',
      reason: `phase 1 one over-budget: the agent was ended: ${said}`,
      budget: { limit: { tokens: 100 }, spent: { tokens: 120 }, uncounted: 0 },
    });
    expect(processesOf(used.repository.directory)).toEqual([]);
  });

  it('is ended for its cost too, and for what earlier attempts have used', async () => {
    const script = `test -n "$(git log --grep 'Add a' --format=%h)" && { ${spend(5, 0.3)}; ${FOR_EVER}; }; ${work(5, 0.75)}`;
    const used = await begin(spender(script, LIVE), { budget: { usd: 1 }, phases: two });
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 completed', '2 over-budget']);
    expect(result.reason).toContain('the budget of the run is used up: $1.05 of $1.00');
  });

  it('keeps a turn that was over when the figure came: nothing more is begun', async () => {
    const lingers = `${work(500)}; until test -e "$HOME/go"; do sleep 0.02; done`;
    const used = await begin(spender(lingers, LIVE), { budget: { tokens: 100 }, phases: two });
    // Shown when it was read; whether a budget is used up is looked at next.
    await until(() =>
      used.events.some((event) => event.type === 'agent' && event.event.state === 'turn_finished'),
    );
    writeFileSync(path.join(used.repository.home, 'go'), '');
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(result).toMatchObject({
      state: 'failed',
      reason: 'the budget of the run is used up: 500 of 100 tokens',
    });
  });

  it('completes a run whose last phase used the budget up', async () => {
    const used = await begin(spender(work(500), LIVE), { budget: { tokens: 100 } });
    expect(await used.result).toMatchObject({ state: 'completed' });
    await expectNothingLeft(used);
  });

  it('goes on in its session once a person allows more', async () => {
    const script = `case "$1" in s-1) ${work(50)};; *) ${spend(150)}; ${FOR_EVER};; esac`;
    const used = await begin(spender(script, LIVE), { budget: { tokens: 100, usd: 1 } });
    expect(outcomes(await used.result)).toEqual(['1 over-budget']);
    const asBefore = await used.resume('test', used.options);
    expect(asBefore.reason).toBe('the budget of the run is used up: 150 of 100 tokens');
    const error = await expectError(
      used.resume('test', { ...used.options, budget: { tokens: 150 } }),
      'OPTION_INVALID',
      /^budget: the budget of the run is used up: 150 of 150 tokens$/,
    );
    expect(error.hint).toContain('from the beginning');
    const journal = used.journal('test');
    const result = await used.resume('test', { ...used.options, budget: { tokens: 400 } });
    expect(result).toMatchObject({
      state: 'completed',
      budget: { limit: { usd: 1, tokens: 400 }, spent: { usd: 0, tokens: 200 } },
    });
    expect(used.journal('test')[journal.length]).toMatchObject({
      type: 'run-resumed',
      budget: { limit: { tokens: 400 }, phases: [] },
    });
    expect(outcomes(result)).toEqual(['1 over-budget', '1 completed']);
  });
});

describe('a budget of a phase', () => {
  it('counts its own attempts only, and never resets', async () => {
    const script = `case "$(cat)" in *review*) ${finish(500, 0, 'gaps')};; *) ${work(60)};; esac`;
    const used = await begin(spender(script, LIVE), {
      budget: { tokens: 10_000 },
      phases: [
        { ...phase(1, 'one'), budget: { tokens: 100 } },
        { ...phase(2, 'two'), mode: 'review', onGaps: { goto: 'one', max: 9 } },
      ],
    });
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 completed', '2 rejected', '1 completed', '2 rejected']);
    expect(result).toMatchObject({
      reason: 'the budget of phase 1 one is used up: 120 of 100 tokens',
      budget: { spent: { tokens: 1_120 } },
      phaseBudgets: { 1: { limit: { tokens: 100 }, spent: { tokens: 120 } } },
    });
  });

  it('that is used up is lifted by the same word as that of the run', async () => {
    const script = `${spend(150)}; ${FOR_EVER}`;
    const more = { retries: 0, budget: { tokens: 100 } };
    const used = await begin(spender(script, LIVE), {}, more);
    expect((await used.result).reason).toContain(
      'the budget of phase 1 one is used up: 150 of 100 tokens',
    );
    const result = await used.resume('test', { ...used.options, budget: { tokens: 200 } });
    expect(result).toMatchObject({
      budget: { limit: { tokens: 200 }, spent: { tokens: 300 } },
      phaseBudgets: { 1: { limit: { tokens: 200 } } },
    });
    const { budget } = used.journal('test').findLast(({ type }) => type === 'run-resumed') ?? {};
    expect(budget).toEqual({ limit: { tokens: 200 }, phases: [1] });
  });
});

describe('an agent that states what it used at the end', () => {
  it('is refused before anything is begun, unless that will do', async () => {
    const agent = spender('exit 1', AT_END);
    const used = await begin(agent, { budget: { tokens: 100, usd: 1 } });
    const error = await expectError(used.result, 'CONFIG_INVALID', /^budget\.usd: .*between-att/m);
    expect(error.problems).toHaveLength(2);
    expect(existsSync(path.join(used.repository.root, '.git/devflow'))).toBe(false);
  });

  it('is counted between attempts where it is said that this will do', async () => {
    const budget = { tokens: 100, enforce: 'between-attempts' } as const;
    const used = await begin(spender(work(130), AT_END), { budget, phases: two });
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(result.reason).toBe('the budget of the run is used up: 130 of 100 tokens');
  });

  it('and did not: the run goes no further until a person says so, and what it was is left out', async () => {
    const budget = { tokens: 1_000, enforce: 'between-attempts' } as const;
    const script = `test -n "$1" || { ${spend(60)}; exit 1; }; ${work(70)}`;
    const used = await begin(spender(script, AT_END), { budget }, { retries: 5 });
    const first = await used.result;
    expect(outcomes(first)).toEqual(['1 failed']);
    const said = 'attempt 1 at phase 1 (spender) stated no tokens';
    expect(first.reason).toBe(`the budget of the run cannot be kept: ${said}`);
    const { root: cwd, env } = used.repository;
    expect((await status('test', { cwd, env })).budget?.spent).toEqual({ tokens: null });
    expect((await used.resume('test', used.options)).reason).toContain('cannot be kept');
    const other = spender(work(70), AT_END);
    const result = await used.resume('test', {
      ...used.options,
      adapters: [other],
      budget: { tokens: 500 },
    });
    expect(result).toMatchObject({
      state: 'completed',
      budget: { limit: { tokens: 500 }, spent: { tokens: 70 }, uncounted: 1 },
    });
    expect(used.notes()).toContain(`${said}: it is not counted in the budget`);
  });
});

describe('the time of attempts', () => {
  it('is measured by devflow, for any agent, in the middle of its turn', async () => {
    const used = await start(
      [command()],
      { budget: { wallClock: '200ms' }, profiles: { slow: scriptedAgent(FOR_EVER) } },
      { agent: 'slow' },
    );
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 over-budget']);
    expect(result.reason).toMatch(/the budget of the run is used up: \S+ of 0\.2s$/);
    expect(result.budget?.spent.wallClockMs).toBeGreaterThanOrEqual(200);
  });
});

describe('a budget that is given beside the workflow', () => {
  it('takes the place of what the workflow says, kind by kind', async () => {
    const agent = spender(`${spend(60)}; ${FOR_EVER}`, LIVE);
    const more = { budget: { tokens: 50 } };
    const used = await begin(agent, { budget: { usd: 2, tokens: 1_000 } }, {}, more);
    expect(await used.result).toMatchObject({ budget: { limit: { usd: 2, tokens: 50 } } });
    const { workflow } = JSON.parse(
      readFileSync(path.join(used.repository.root, '.git/devflow/runs/test/run.json'), 'utf8'),
    ) as { workflow: object };
    expect(workflow).toMatchObject({ budget: { usd: 2, tokens: 50 } });
  });

  it('is refused with all that is wrong with it', async () => {
    const more = { budget: { usd: 0, tokens: 1.5, wallClock: 'soon', euro: 1 } as object };
    const used = await begin(spender('exit 1', LIVE), {}, {}, more);
    const error = await expectError(used.result, 'OPTION_INVALID', /budget/);
    expect(error.problems).toHaveLength(4);
    const none = await begin(spender('exit 1', LIVE), {}, {}, { budget: {} });
    await expectError(none.result, 'OPTION_INVALID', /expected one or more of usd/);
  });

  it('is refused on resume where the agents state nothing of it', async () => {
    const used = await begin(spender('exit 1', { tokens: 'none', usd: 'none' }));
    await used.result;
    const error = await expectError(
      used.resume('test', { ...used.options, budget: { usd: 5 } }),
      'OPTION_INVALID',
      /budget\.usd: "spender" does not state what it costs/,
    );
    expect(error.message).toBe('budget: its agents cannot keep to it');
    await until(() => processesOf(used.repository.directory).length === 0);
  });
});
