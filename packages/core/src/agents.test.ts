import { describe, expect, it } from 'vitest';
import { phaseOf, workflowOf } from '../test/journal-of.js';
import type { AgentAdapter } from './adapter/index.js';
import { agentNamed, resolveAgents } from './agents.js';
import { command } from './command/index.js';
import type { Phase, Profile, Workflow } from './workflow/workflow.js';

const worker: AgentAdapter = {
  name: 'worker',
  capabilities: { modes: ['work'], continue: false, models: true },
  execCommand: () => ({ program: 'worker', args: [], stdin: '' }),
  completionSignalDetected: () => true,
};
/** Takes options as `command` does, and a model. */
const modelled: AgentAdapter = {
  ...worker,
  name: 'modelled',
  configure: () => modelled,
};
const profile = (more: Partial<Profile>): Profile => ({
  adapter: 'command',
  env: {},
  envFrom: [],
  options: {},
  ...more,
});
const phase = (id: number, more: Partial<Phase>) => phaseOf(id, `phase-${id}`, more);

function resolve(
  phases: Phase[],
  profiles: Record<string, Profile> = {},
  more: Partial<Workflow> = {},
) {
  return resolveAgents(workflowOf(phases, { profiles, ...more }), [command(), worker, modelled]);
}
const problemsOf = (...args: Parameters<typeof resolve>): readonly string[] => {
  try {
    resolve(...args);
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    return (error as { problems: string[] }).problems;
  }
  return [];
};

it('what else is wrong is told with the agents that are, and is nothing of theirs alone', () => {
  const hook = ['hook "x" is not defined; none are known here'];
  const resolveWith = (agent: string) =>
    resolveAgents(workflowOf([phase(1, { agents: [agent] })]), [worker], hook);
  expect(() => resolveWith('nobody')).toThrow(
    expect.objectContaining({
      problems: [expect.stringMatching(/^phases\[0\]\.agent: unknown .*"nobody"/), ...hook],
    }),
  );
  expect(resolveWith('worker').size).toBe(1);
});

describe('the agent of a phase', () => {
  it('is an adapter under its own name, or a profile', () => {
    const fast = profile({ adapter: 'modelled', model: 'small', options: {} });
    const agents = resolve([phase(1, { agents: ['worker'] }), phase(2, { agents: ['fast'] })], {
      fast,
    });
    expect(agents.get(1)?.[0]).toMatchObject({
      name: 'worker',
      adapter: worker,
      profile: undefined,
      model: undefined,
    });
    expect(agents.get(2)?.[0]).toMatchObject({ name: 'fast', profile: fast, model: 'small' });
    expect(agentNamed(agents, phase(2, {}), 'fast').adapter.name).toBe('modelled');
  });

  it('has the model of the phase before that of its profile', () => {
    const fast = profile({ adapter: 'modelled', model: 'small', options: {} });
    const agents = resolve([phase(1, { agents: ['fast'], model: 'large' })], { fast });
    expect(agents.get(1)?.[0]?.model).toBe('large');
  });

  it('takes the efforts that it names, or any where it names none', () => {
    const asked = (adapter: AgentAdapter) => {
      const phases = [phase(1, { agents: ['worker'], effort: 'bogus' })];
      return () => resolveAgents(workflowOf(phases), [adapter]);
    };
    const taking = (effort: boolean | readonly string[]): AgentAdapter => ({
      ...worker,
      capabilities: { ...worker.capabilities, effort },
    });
    expect(asked(taking(true))).not.toThrow();
    const said = 'phases[0].effort: "worker" takes the efforts low, max, found "bogus"';
    expect(asked(taking(['low', 'max']))).toThrow(expect.objectContaining({ problems: [said] }));
  });

  it('is configured once for all its phases', () => {
    const fast = profile({ options: { command: ['agent'] } });
    const agents = resolve([phase(1, { agents: ['fast'] }), phase(2, { agents: ['fast'] })], {
      fast,
    });
    expect(agents.get(1)?.[0]?.adapter).toBe(agents.get(2)?.[0]?.adapter);
  });

  it('is refused with every problem of all phases at once', () => {
    const profiles = {
      typo: profile({ adapter: 'comand' }),
      wrong: profile({ options: { comand: ['x'] } }),
      strict: profile({ adapter: 'worker', options: { speed: 1 } }),
    };
    const phases = [
      phase(1, { agents: [] }),
      phase(2, { agents: ['wroker'] }),
      phase(3, { agents: ['typo'] }),
      phase(4, { agents: ['wrong'] }),
      phase(5, { agents: ['wrong'] }),
      phase(6, { agents: ['strict'] }),
      phase(7, { agents: ['worker'], mode: 'review' }),
      phase(8, { agents: ['command'] }),
    ];
    expect(problemsOf(phases, profiles)).toEqual([
      'phases[0].agent: no agent; name one here or under defaults',
      'phases[1].agent: unknown profile or adapter "wroker"; did you mean "worker"?',
      'profiles.typo.adapter: unknown adapter "comand"; did you mean "command"?',
      expect.stringMatching(/^profiles\.wrong\.command: /),
      'profiles.wrong.comand: unknown key; did you mean "command"?',
      expect.stringMatching(/^profiles\.strict\.speed: unknown key; known: adapter, model/),
      'phases[6].agent: "worker" cannot do mode "review"',
      expect.stringMatching(/^phases\[7\]\.agent: "command" needs a profile: command: /),
    ]);
  });

  it('that fails in its own code is no problem of the configuration', () => {
    const broken: AgentAdapter = {
      ...worker,
      configure: () => {
        throw new TypeError('a bug');
      },
    };
    expect(() => resolveAgents(workflowOf([phase(1, { agents: ['worker'] })]), [broken])).toThrow(
      TypeError,
    );
  });

  it('must be there when it is asked for', () => {
    expect(() => agentNamed(new Map(), phase(1, {}), 'agent')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('is refused with a model that its adapter does not take: nothing is dropped in silence', () => {
    const plain = profile({ options: { command: ['agent'] } });
    expect(problemsOf([phase(1, { agents: ['plain'], model: 'large' })], { plain })).toEqual([
      'phases[0].model: "plain" takes no model, found "large"',
    ]);
  });

  it('is refused with anything else that its adapter cannot do', () => {
    const plain = profile({
      options: { command: ['agent'] },
      instructions: 'Be brief.',
      mcp: { db: { command: ['db-server'] } },
      effort: 'high',
    });
    const phases = [phase(1, { agents: ['plain'], answerBy: 'schema' })];
    expect(problemsOf(phases, { plain }, { sandbox: 'own' })).toEqual([
      'profiles.plain.effort: "plain" takes no effort, found "high"',
      'profiles.plain.instructions: its adapter takes none',
      'profiles.plain.mcp: its adapter takes no tool servers',
      'phases[0].answerBy: "plain" has no structured output',
      'sandbox: "plain" has none of its own (phases[0].agent)',
    ]);
  });
});

describe('a chain of agents', () => {
  it('keeps its order', () => {
    const agents = resolve([phase(1, { agents: ['modelled', 'worker'] })]);
    expect(agents.get(1)?.map(({ name }) => name)).toEqual(['modelled', 'worker']);
  });

  it('names nobody twice, and takes models from its profiles only', () => {
    const chain = phase(1, { agents: ['modelled', 'worker', 'worker'], model: 'large' });
    expect(problemsOf([chain])).toEqual([
      'phases[0].agent: "worker" is named twice',
      'phases[0].model: "large" would be asked of 3 agents; say it in their profiles',
    ]);
  });

  it('is refused for each agent that is not known or cannot do it', () => {
    const chain = phase(1, { agents: ['nobody', 'worker'], mode: 'review' });
    expect(problemsOf([chain])).toEqual([
      expect.stringMatching(/^phases\[0\]\.agent: unknown profile or adapter "nobody"/),
      'phases[0].agent: "worker" cannot do mode "review"',
    ]);
  });
});

describe('a budget', () => {
  const stating = (name: string, tokens: 'live' | 'at-end' | 'none', usd: typeof tokens) => ({
    ...worker,
    name,
    capabilities: { ...worker.capabilities, usage: { tokens, usd } },
  });
  const adapters = [
    stating('live', 'live', 'live'),
    stating('late', 'at-end', 'none'),
    worker, // says nothing of it
  ];
  const refused = (phases: Phase[], more: Partial<Workflow> = {}): readonly string[] => {
    try {
      resolveAgents(workflowOf(phases, more), adapters);
    } catch (error) {
      return (error as { problems: string[] }).problems;
    }
    return [];
  };

  it('is refused for each agent of a chain that does not state what it counts', () => {
    const chain = phase(1, { agents: ['live', 'late', 'worker'] });
    expect(refused([chain], { budget: { usd: 1, tokens: 1, wallClockMs: 1 } })).toEqual([
      'budget.usd: "late" does not state what it costs',
      `budget.tokens: "late" states how many tokens it uses only at the end of a turn, and may go over within it; where that will do, say enforce: 'between-attempts' beside it (by --budget: enforce=between-attempts)`,
      'budget.usd: "worker" does not state what it costs',
      'budget.tokens: "worker" does not state how many tokens it uses',
    ]);
  });

  it('of a phase is asked of the agents of that phase', () => {
    const phases = [
      phase(1, { agents: ['worker'] }),
      phase(2, { agents: ['late'], budget: { usd: 1 } }),
    ];
    expect(refused(phases)).toEqual(['phases[1].budget.usd: "late" does not state what it costs']);
  });

  it('may go over within a turn where that is said; never where nothing is stated', () => {
    const late = [phase(1, { agents: ['late'] })];
    expect(refused(late, { budget: { tokens: 1, enforce: 'between-attempts' } })).toEqual([]);
    expect(refused(late, { budget: { tokens: 1, enforce: 'live' } })).toHaveLength(1);
    expect(refused(late, { budget: { usd: 1, enforce: 'between-attempts' } })).toHaveLength(1);
    expect(refused([phase(1, { agents: ['worker'], budget: { wallClockMs: 1 } })])).toEqual([]);
  });
});

describe('a profile', () => {
  it('without an adapter is refused where nobody has filled it in', () => {
    const { adapter: _, ...rest } = profile({});
    expect(problemsOf([phase(1, { agents: ['mine'] })], { mine: rest })).toEqual([
      'profiles.mine.adapter: no adapter; name one',
    ]);
  });
});
