import { type AgentAdapter, type AgentCapabilities, AdapterOptionsError } from './adapter/index.js';
import { suggestion } from './workflow/problems.js';
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
 * @throws DevflowError CONFIG_INVALID naming every phase whose agent is unknown or cannot do what is asked
 */
export function resolveAgents(workflow: Workflow, adapters: readonly AgentAdapter[]): Agents {
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
      problems.push(...beyond(agent, phase, workflow).map((what) => `${where}: "${name}" ${what}`));
      chain.push(agent);
    }
    agents.set(phase.id, chain);
  }
  if (problems.length > 0) throw invalid('workflow', [...new Set(problems)]);
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

/** What the phase asks for and the agent cannot. */
function beyond({ adapter, profile, model, effort }: Agent, phase: Phase, workflow: Workflow) {
  const { capabilities: can } = adapter;
  const asked: (readonly [isAsked: boolean, can: boolean | undefined, what: string])[] = [
    [true, can.modes.includes(phase.mode), `cannot do mode "${phase.mode}"`],
    [model !== undefined, can.models, `takes no model, and "${model}" is asked for`],
    [
      effort !== undefined,
      Array.isArray(can.effort) ? can.effort.includes(effort) : can.effort === true,
      `takes ${effortsOf(can.effort)}, and "${effort}" is asked for`,
    ],
    [profile?.instructions !== undefined, can.instructions, 'takes no instructions'],
    [profile?.mcp !== undefined, can.mcp, 'takes no MCP servers'],
    [phase.answerBy === 'schema', can.structuredOutput, 'has no structured output'],
    [workflow.sandbox === 'own', can.ownSandbox, 'has no sandbox of its own'],
  ];
  return asked.filter(([isAsked, able]) => isAsked && able !== true).map(([, , what]) => what);
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
        (key) => `profiles.${name}.${key}: the adapter "${adapter.name}" has no such option`,
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
