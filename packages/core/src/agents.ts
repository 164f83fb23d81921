import {
  type AgentAdapter,
  type AgentCapabilities,
  AdapterOptionsError,
  PROFILE_KEYS,
  suggestion,
} from './adapter/index.js';
import type { Budget } from './workflow/budget.js';
import { type Phase, type Profile, type Workflow, invalid } from './workflow/workflow.js';

/** The agent of a phase: an adapter with a profile's options. */
export interface Agent {
  /** Name of the profile or adapter, as the phase gives it. */
  readonly name: string;
  readonly adapter: AgentAdapter;
  readonly profile: Profile | undefined;
  readonly model: string | undefined;
  readonly effort: string | undefined;
}

/** By the id of a phase: its agents, in the order in which they are asked; never none. */
export type Agents = ReadonlyMap<number, readonly Agent[]>;

/**
 * The agents of every phase.
 * @param besides what else is wrong with the workflow: it is told with what is found here
 * @throws DevflowError CONFIG_INVALID naming every phase whose agent is unknown or cannot do what is asked
 */
export function resolveAgents(
  workflow: Workflow,
  adapters: readonly AgentAdapter[],
  besides: readonly string[] = [],
): Agents {
  const problems: string[] = [];
  const configured = new Map<string, AgentAdapter | undefined>();
  const agents = new Map<number, Agent[]>();
  for (const [index, phase] of workflow.phases.entries()) {
    const where = `phases[${index}].agent`;
    if (phase.agents.length === 0)
      problems.push(`${where}: no agent; name one here or under defaults`);
    problems.push(...chainProblems(phase, `phases[${index}]`));
    const chain: Agent[] = [];
    for (const name of phase.agents) {
      if (!configured.has(name))
        configured.set(name, configure(name, workflow, adapters, where, problems));
      const adapter = configured.get(name);
      if (adapter === undefined) continue;
      const profile = workflow.profiles[name];
      const model = phase.model ?? profile?.model;
      const effort = phase.effort ?? profile?.effort;
      const agent = { name, adapter, profile, model, effort };
      problems.push(...beyond(agent, phase, `phases[${index}]`, workflow));
      chain.push(agent);
    }
    agents.set(phase.id, chain);
  }
  problems.push(...budgetProblems(workflow, agents));
  if (problems.length > 0) throw invalid('workflow', [...new Set([...problems, ...besides])]);
  return agents;
}

/** Models and efforts are words of one agent: a chain takes them from its profiles. */
function chainProblems({ agents, model, effort }: Phase, where: string): string[] {
  if (agents.length < 2) return [];
  const twice = agents.filter((name, index) => agents.indexOf(name) !== index);
  return [
    ...twice.map((name) => `${where}.agent: "${name}" is named twice`),
    ...Object.entries({ model, effort })
      .filter(([, value]) => value !== undefined)
      .map(
        ([key, value]) =>
          `${where}.${key}: "${value}" would be asked of ${agents.length} agents; say it in their profiles`,
      ),
  ];
}

/** A budget counts what agents state: one that states nothing, or too late to be ended in time, is not asked by mistake. */
export function budgetProblems({ phases, budget }: Workflow, agents: Agents): string[] {
  const problems = phases.flatMap((phase, index) =>
    (agents.get(phase.id) ?? []).flatMap((agent) => [
      ...unmeasured(agent, budget, 'budget'),
      ...unmeasured(agent, phase.budget, `phases[${index}].budget`),
    ]),
  );
  return [...new Set(problems)];
}

function unmeasured({ name, adapter }: Agent, budget: Budget = {}, where: string): string[] {
  const stated = adapter.capabilities.usage;
  return (['usd', 'tokens'] as const).flatMap((kind) => {
    if (budget[kind] === undefined) return [];
    const what = kind === 'usd' ? 'what it costs' : 'how many tokens it uses';
    const when = stated?.[kind] ?? 'none';
    if (when === 'none') return [`${where}.${kind}: "${name}" does not state ${what}`];
    if (when === 'live' || budget.enforce === 'between-attempts') return [];
    return [
      `${where}.${kind}: "${name}" states ${what} only at the end of a turn, and may go over within it; where that will do, say enforce: 'between-attempts' beside it (by --budget: enforce=between-attempts)`,
    ];
  });
}

/** What is asked for and the agent cannot, each with the place that asks. */
function beyond(agent: Agent, phase: Phase, where: string, { sandbox }: Workflow): string[] {
  const { name, adapter, profile, model, effort } = agent;
  const { capabilities: can } = adapter;
  const place = (key: 'model' | 'effort') =>
    `${phase[key] === undefined ? `profiles.${name}` : where}.${key}`;
  const asked: readonly (readonly [asked: boolean, can: boolean | undefined, problem: string])[] = [
    [
      true,
      can.modes.includes(phase.mode),
      `${where}.agent: "${name}" cannot do mode "${phase.mode}"`,
    ],
    [
      model !== undefined,
      can.models,
      `${place('model')}: "${name}" takes no model, found "${model}"`,
    ],
    [
      effort !== undefined,
      Array.isArray(can.effort) ? can.effort.includes(effort) : can.effort === true,
      `${place('effort')}: "${name}" takes ${effortsOf(can.effort)}, found "${effort}"`,
    ],
    [
      profile?.instructions !== undefined,
      can.instructions,
      `profiles.${name}.instructions: its adapter takes none`,
    ],
    [
      profile?.mcp !== undefined,
      can.mcp,
      `profiles.${name}.mcp: its adapter takes no tool servers`,
    ],
    [
      phase.answerBy === 'schema',
      can.structuredOutput,
      `${where}.answerBy: "${name}" has no structured output`,
    ],
    [sandbox === 'own', can.ownSandbox, `sandbox: "${name}" has none of its own (${where}.agent)`],
  ];
  return asked
    .filter(([isAsked, able]) => isAsked && able !== true)
    .map(([, , problem]) => problem);
}

function effortsOf(efforts: AgentCapabilities['effort']): string {
  return Array.isArray(efforts) ? `the efforts ${efforts.join(', ')}` : 'no effort';
}

function configure(
  name: string,
  { profiles }: Workflow,
  adapters: readonly AgentAdapter[],
  where: string,
  problems: string[],
): AgentAdapter | undefined {
  const profile = profiles[name];
  if (profile !== undefined && profile.adapter === undefined) {
    problems.push(`profiles.${name}.adapter: no adapter; name one`);
    return undefined;
  }
  const adapterName = profile?.adapter ?? name;
  const adapter = adapters.find((candidate) => candidate.name === adapterName);
  if (adapter === undefined) {
    const known = adapters.map((candidate) => candidate.name);
    if (profile !== undefined)
      problems.push(
        `profiles.${name}.adapter: unknown adapter "${adapterName}"; ${suggestion(adapterName, known)}`,
      );
    else {
      const all = [...Object.keys(profiles), ...known];
      problems.push(`${where}: unknown profile or adapter "${name}"; ${suggestion(name, all)}`);
    }
    return undefined;
  }
  return withOptions(adapter, name, profile, where, problems);
}

function withOptions(
  adapter: AgentAdapter,
  name: string,
  profile: Profile | undefined,
  where: string,
  problems: string[],
): AgentAdapter | undefined {
  const options = profile?.options ?? {};
  if (adapter.configure === undefined) {
    problems.push(
      ...Object.keys(options).map(
        (key) => `profiles.${name}.${key}: unknown key; ${suggestion(key, PROFILE_KEYS)}`,
      ),
    );
    return adapter;
  }
  try {
    return adapter.configure(options);
  } catch (error) {
    if (!(error instanceof AdapterOptionsError)) throw error;
    problems.push(
      ...error.problems.map((problem) =>
        profile === undefined
          ? `${where}: "${name}" needs a profile: ${problem}`
          : `profiles.${name}.${problem}`,
      ),
    );
    return undefined;
  }
}

/** The agents of a phase that {@link resolveAgents} has passed. */
export function agentsOf(agents: Agents, phase: Phase): readonly [Agent, ...Agent[]] {
  const [first, ...others] = agents.get(phase.id) ?? [];
  if (first === undefined) throw noAgent(phase);
  return [first, ...others];
}

/** One of them, by its name. */
export function agentNamed(agents: Agents, phase: Phase, name: string): Agent {
  const agent = agentsOf(agents, phase).find((one) => one.name === name);
  if (agent === undefined) throw noAgent(phase);
  return agent;
}

function noAgent({ id, name }: Phase): Error {
  return invalid('workflow', [`phase ${id} ${name} has no agent`]);
}
