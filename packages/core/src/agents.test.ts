import { describe, expect, it } from 'vitest';
import { phaseOf, workflowOf } from '../test/journal-of.js';
import type { AgentAdapter } from './adapter/index.js';
import { agentOf, resolveAgents } from './agents.js';
import { command } from './command/index.js';
import type { Phase, Profile } from './workflow/workflow.js';

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

function resolve(phases: Phase[], profiles: Record<string, Profile> = {}) {
  return resolveAgents(workflowOf(phases, { profiles }), [command(), worker, modelled]);
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

describe('the agent of a phase', () => {
  it('is an adapter under its own name, or a profile', () => {
    const fast = profile({ adapter: 'modelled', model: 'small', options: {} });
    const agents = resolve([phase(1, { agent: 'worker' }), phase(2, { agent: 'fast' })], { fast });
    expect(agents.get(1)).toMatchObject({
      name: 'worker',
      adapter: worker,
      profile: undefined,
      model: undefined,
    });
    expect(agents.get(2)).toMatchObject({ name: 'fast', profile: fast, model: 'small' });
    expect(agentOf(agents, phase(2, {})).adapter.name).toBe('modelled');
  });

  it('has the model of the phase before that of its profile', () => {
    const fast = profile({ adapter: 'modelled', model: 'small', options: {} });
    const agents = resolve([phase(1, { agent: 'fast', model: 'large' })], { fast });
    expect(agents.get(1)?.model).toBe('large');
  });

  it('is configured once for all its phases', () => {
    const fast = profile({ options: { command: ['agent'] } });
    const agents = resolve([phase(1, { agent: 'fast' }), phase(2, { agent: 'fast' })], { fast });
    expect(agents.get(1)?.adapter).toBe(agents.get(2)?.adapter);
  });

  it('is refused with every problem of all phases at once', () => {
    const { agent: _, ...none } = phase(1, {});
    const profiles = {
      typo: profile({ adapter: 'comand' }),
      wrong: profile({ options: { comand: ['x'] } }),
      strict: profile({ adapter: 'worker', options: { speed: 1 } }),
    };
    const phases = [
      none,
      phase(2, { agent: 'wroker' }),
      phase(3, { agent: 'typo' }),
      phase(4, { agent: 'wrong' }),
      phase(5, { agent: 'wrong' }),
      phase(6, { agent: 'strict' }),
      phase(7, { agent: 'worker', mode: 'review' }),
      phase(8, { agent: 'command' }),
    ];
    expect(problemsOf(phases, profiles)).toEqual([
      'phases[0].agent: no agent; name one here or under defaults',
      'phases[1].agent: unknown profile or adapter "wroker"; did you mean "worker"?',
      'profiles.typo.adapter: unknown adapter "comand"; did you mean "command"?',
      expect.stringMatching(/^profiles\.wrong\.command: /),
      'profiles.wrong.comand: unknown key; did you mean "command"?',
      'profiles.strict.speed: the adapter "worker" has no such option',
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
    expect(() => resolveAgents(workflowOf([phase(1, { agent: 'worker' })]), [broken])).toThrow(
      TypeError,
    );
  });

  it('must be there when it is asked for', () => {
    expect(() => agentOf(new Map(), phase(1, {}))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('is refused with a model that its adapter does not take: nothing is dropped in silence', () => {
    const plain = profile({ options: { command: ['agent'] } });
    expect(problemsOf([phase(1, { agent: 'plain', model: 'large' })], { plain })).toEqual([
      'phases[0].agent: "plain" takes no model, and "large" is asked for',
    ]);
  });
});
