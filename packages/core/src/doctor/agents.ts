import type { AdapterPreflight, AgentAdapter } from '../adapter/index.js';
import { type Agent, type Agents, agentsOf, resolveAgents } from '../agents.js';
import type { Finding } from './machine.js';
import { checkAgent } from '../preflight/agent.js';
import { sandboxProvider } from '../sandbox/index.js';
import type { CommonOptions } from '../hold.js';
import type { Phase, Workflow } from '../workflow/workflow.js';

interface Options extends CommonOptions {
  readonly adapters: readonly AgentAdapter[];
  readonly stateDir: string;
}

/** An agent, and what its preflight says for each mode in which a phase uses it. */
interface Looked {
  readonly agent: Agent;
  readonly found: ReadonlyMap<Phase['mode'], AdapterPreflight>;
}

/** Every agent that a phase uses, in each mode it is used in, by its adapter's own preflight. */
export async function lookAtAgents(workflow: Workflow, options: Options): Promise<Finding[]> {
  const agents = resolveAgents(workflow, options.adapters);
  const looked: Looked[] = [];
  for (const { agent, phases } of usedAgents(workflow, agents))
    looked.push(await lookAt(agent, phases, workflow, options));
  return looked.map((each) => findingOf(each, isReplaced(each, looked, workflow, agents)));
}

function usedAgents(workflow: Workflow, agents: Agents): { agent: Agent; phases: Phase[] }[] {
  const used = new Map<string, { agent: Agent; phases: Phase[] }>();
  for (const phase of workflow.phases) {
    for (const agent of agentsOf(agents, phase)) {
      const entry = used.get(agent.name) ?? { agent, phases: [] };
      if (entry.phases.every(({ mode }) => mode !== phase.mode)) entry.phases.push(phase);
      used.set(agent.name, entry);
    }
  }
  return [...used.values()];
}

async function lookAt(
  agent: Agent,
  phases: readonly Phase[],
  { sandbox }: Workflow,
  { env, stateDir, cwd }: Options,
): Promise<Looked> {
  const candidate = { agent, sessionId: undefined };
  const found = await Promise.all(
    phases.map(async (phase) => {
      const stop = new AbortController().signal;
      const anew = { loginChecked: new Set<string>(), sandbox: sandboxProvider(sandbox), stop };
      const context = { ...anew, env, definition: { stateDir } };
      return [phase.mode, await checkAgent(context, phase, candidate, cwd)] as const;
    }),
  );
  return { agent, found: new Map(found) };
}

/** Does another agent of the chain do its work wherever it is used? Then a run goes on without it. */
function isReplaced(
  { agent }: Looked,
  looked: readonly Looked[],
  workflow: Workflow,
  agents: Agents,
): boolean {
  const isReady = (name: string, { mode }: Phase) =>
    looked.find((other) => other.agent.name === name)?.found.get(mode)?.problems.length === 0;
  return workflow.phases
    .filter((phase) => agentsOf(agents, phase).some(({ name }) => name === agent.name))
    .every((phase) => phase.agents.some((name) => name !== agent.name && isReady(name, phase)));
}

function findingOf({ agent, found }: Looked, replaced: boolean): Finding {
  const all = [...found.values()];
  const { version, account } = all[0] ?? {};
  const problems = unique(
    all.flatMap((each) => each.problems),
    ({ code, message }) => `${code} ${message}`,
  );
  const notes = unique(
    all.flatMap((each) => each.notes),
    (note) => note,
  );
  const passedOver = problems.map(
    ({ code, message, hint }) => `passed over by its chain: ${message} (${code}) ${hint}`,
  );
  return {
    what: `agent ${agent.name}`,
    found: [
      problems.length > 0 && version === undefined ? 'not ready' : (version ?? 'found'),
      account !== undefined && `billed to ${account}`,
    ]
      .filter((part) => part !== false)
      .join(', '),
    problems: replaced ? [] : problems,
    notes: replaced ? [...passedOver, ...notes] : notes,
  };
}

function unique<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}
