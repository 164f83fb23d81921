import { type AgentAdapter, AdapterOptionsError } from './adapter/index.js';
import { suggestion } from './workflow/problems.js';
import { type Phase, type Profile, type Workflow, invalid } from './workflow/workflow.js';

/** The agent of a phase: an adapter with a profile's options. */
export interface Agent {
  /** Name of the profile or adapter, as the phase gives it. */
  readonly name: string;
  readonly adapter: AgentAdapter;
  readonly profile: Profile | undefined;
  readonly model: string | undefined;
}

/**
 * The agent of every phase.
 * @throws DevflowError CONFIG_INVALID naming every phase whose agent is unknown or cannot do what is asked
 */
export function resolveAgents(
  workflow: Workflow,
  adapters: readonly AgentAdapter[],
): ReadonlyMap<number, Agent> {
  const problems: string[] = [];
  const configured = new Map<string, AgentAdapter | undefined>();
  const agents = new Map<number, Agent>();
  for (const [index, phase] of workflow.phases.entries()) {
    const where = `phases[${index}].agent`;
    const name = phase.agent;
    const profile = name === undefined ? undefined : workflow.profiles[name];
    if (name === undefined) {
      problems.push(`${where}: no agent; name one here or under defaults`);
      continue;
    }
    if (!configured.has(name))
      configured.set(name, configure(name, profile, workflow, adapters, where, problems));
    const adapter = configured.get(name);
    if (adapter === undefined) continue;
    if (!adapter.capabilities.modes.includes(phase.mode)) {
      problems.push(`${where}: "${name}" cannot do mode "${phase.mode}"`);
    }
    const model = phase.model ?? profile?.model;
    if (model !== undefined && adapter.capabilities.models !== true) {
      problems.push(`${where}: "${name}" takes no model, and "${model}" is asked for`);
    }
    agents.set(phase.id, { name, adapter, profile, model });
  }
  if (problems.length > 0) throw invalid('workflow', [...new Set(problems)]);
  return agents;
}

function configure(
  name: string,
  profile: Profile | undefined,
  workflow: Workflow,
  adapters: readonly AgentAdapter[],
  where: string,
  problems: string[],
): AgentAdapter | undefined {
  const adapterName = profile?.adapter ?? name;
  const adapter = adapters.find((candidate) => candidate.name === adapterName);
  if (adapter === undefined) {
    const known = adapters.map((candidate) => candidate.name);
    if (profile !== undefined)
      problems.push(
        `profiles.${name}.adapter: unknown adapter "${adapterName}"; ${suggestion(adapterName, known)}`,
      );
    else {
      const all = [...Object.keys(workflow.profiles), ...known];
      problems.push(`${where}: unknown profile or adapter "${name}"; ${suggestion(name, all)}`);
    }
    return undefined;
  }
  const options = profile?.options ?? {};
  if (adapter.configure === undefined) {
    problems.push(
      ...Object.keys(options).map(
        (key) => `profiles.${name}.${key}: the adapter "${adapterName}" has no such option`,
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

/** The agent of a phase that {@link resolveAgents} has passed. */
export function agentOf(agents: ReadonlyMap<number, Agent>, phase: Phase): Agent {
  const agent = agents.get(phase.id);
  if (agent === undefined)
    throw invalid('workflow', [`phase ${phase.id} ${phase.name} has no agent`]);
  return agent;
}
