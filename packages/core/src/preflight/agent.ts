import type { AdapterPreflight, AgentAdapter, Asked, Probe, Problem } from '../adapter/index.js';
import { accountKey, learnedLimit } from '../limit/account-limits.js';
import type { Agent } from '../agents.js';
import type { RunContext } from '../context.js';
import { agentEnvironment, demandedVariables, secretValues } from '../environment.js';
import { askedFor } from '../launch.js';
import { redactor } from '../observe/redact.js';
import { findProgram } from '../process/program.js';
import type { RunDefinition } from '../state/definition.js';
import type { Phase } from '../workflow/workflow.js';
import { inTime } from './in-time.js';
import { createProbe } from './probe.js';
import { readNotes, readProblems, thrownWords } from './said.js';

type Context = Pick<RunContext, 'env' | 'sandbox' | 'loginChecked' | 'stop'> & {
  readonly definition: Pick<RunDefinition, 'stateDir'>;
};

/** An agent that may be asked, and the session that it would continue. */
export interface Candidate {
  readonly agent: Agent;
  readonly sessionId: string | undefined;
}

export interface ReadyAgent extends Omit<AdapterPreflight, 'staleSession'> {
  /** Undefined where none can begin. */
  readonly agent?: Agent;
  /** The session that it continues. */
  readonly continues?: string;
  /** See `accountKey`. */
  readonly accountKey?: string;
  /** Where none can begin: other runs have learned of limits, and the first of them ends then. */
  readonly limitedUntil?: string;
}

/** The first of the agents that can begin, with a note of those that cannot; where none can, the problems of all, and when the first limit ends. */
export async function firstReady(
  context: Context,
  phase: Phase,
  candidates: readonly Candidate[],
  cwd: string,
): Promise<ReadyAgent> {
  const problems: Problem[] = [];
  const passedOver: string[] = [];
  const limits: string[] = [];
  for (const candidate of candidates) {
    const { agent } = candidate;
    const found = await checkAgent(context, phase, candidate, cwd);
    if (found.problems.length > 0) {
      const said = found.problems.map(({ code, message }) => `${message} (${code})`).join(' ');
      passedOver.push(`The agent ${agent.name} cannot begin, the next one is asked: ${said}`);
      problems.push(...found.problems.map((problem) => named(problem, agent, phase)));
      continue;
    }
    const key = accountKey(context.env, agent, found.account);
    const limit = key === undefined ? undefined : learnedLimit(context.definition.stateDir, key);
    if (limit?.until === undefined) {
      const notes = [
        ...passedOver,
        ...(limit === undefined ? [] : [`${agent.name}: ${limit.says}`]),
      ];
      return ready(candidate, found, notes, key);
    }
    passedOver.push(`The agent ${agent.name} is not asked: ${limit.says}`);
    limits.push(limit.until);
  }
  const [limitedUntil] = limits.toSorted();
  if (limitedUntil === undefined) return { problems, notes: [] };
  return { problems, notes: passedOver, limitedUntil };
}

function ready(
  { agent, sessionId }: Candidate,
  { staleSession, notes, ...rest }: AdapterPreflight,
  before: readonly string[],
  key: string | undefined,
): ReadyAgent {
  const isStale = staleSession !== undefined;
  const stale = isStale ? [`${staleSession}; a new session is begun.`] : [];
  return {
    ...rest,
    agent,
    ...(sessionId !== undefined && !isStale && { continues: sessionId }),
    ...(key !== undefined && { accountKey: key }),
    notes: [...before, ...notes, ...stale],
  };
}

/** Of several agents each says which one it speaks of. */
function named(problem: Problem, { name }: Agent, { agents }: Phase): Problem {
  if (agents.length === 1) return problem;
  return { ...problem, message: `${name}: ${problem.message}` };
}

/** What stands in the way of the phase's agent: its environment, its sandbox, and what its adapter says. */
export async function checkAgent(
  context: Context,
  phase: Phase,
  { agent, sessionId }: Candidate,
  cwd: string,
): Promise<AdapterPreflight> {
  const { adapter, profile, name, model, effort } = agent;
  const missing = demandedVariables(profile).filter(
    (variable) => context.env[variable] === undefined,
  );
  const env = agentEnvironment(context.env, adapter, profile);
  const login = loginKey(agent);
  const checkLogin = !context.loginChecked.has(login);
  const probe = createProbe(
    {
      cwd,
      mode: phase.mode,
      confinedBy: context.sandbox.confinedBy,
      env,
      checkLogin,
      asks: asksOf(phase, agent, sessionId),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(sessionId !== undefined && { sessionId }),
    },
    context.definition.stateDir,
  );
  const [own, confinement] = await Promise.all([
    ownPreflight(adapter, probe, context.stop),
    context.sandbox.preflight({ write: [], hosts: [] }),
  ]);
  if (own.problems.length === 0) context.loginChecked.add(login);
  const redact = redactor(secretValues(context.env, adapter, profile)); // an adapter may tell what its program said
  return {
    ...own,
    notes: redact(own.notes),
    problems: [
      ...missing.map((variable) => missingVariable(variable, name)),
      ...missingServers(agent, cwd, env),
      ...confinement,
      ...redact(own.problems),
    ],
  };
}

/** All that it asks has limits of its own; an adapter can be anybody's code. */
const PREFLIGHT_LIMIT_MS = 2 * 60_000;

/** What the adapter itself says. One that fails or never answers stands in the way. */
export async function ownPreflight(
  adapter: AgentAdapter,
  probe: Probe,
  stop: AbortSignal,
): Promise<AdapterPreflight> {
  if (adapter.preflight === undefined) return { problems: [], notes: [] };
  const hint = 'Correct the adapter, or use another.';
  try {
    const said = await inTime(adapter.preflight(probe), PREFLIGHT_LIMIT_MS, stop);
    const { problems, notes, ...rest } = said;
    return { ...rest, problems: readProblems(problems, hint), notes: readNotes(notes) };
  } catch (error) {
    const message = `the preflight of the adapter "${adapter.name}" fails: ${thrownWords(error)}`;
    return { problems: [{ code: 'ADAPTER_FAILED', message, hint }], notes: [] };
  }
}

function asksOf(phase: Phase, agent: Agent, sessionId: string | undefined): Asked[] {
  const asked = Object.keys(askedFor(phase, agent)) as Asked[]; // its type has no other keys
  return sessionId === undefined ? asked : [...asked, 'sessionId'];
}

/** Profiles that log in alike are asked once: the same adapter, options, model and environment. */
export function loginKey({ adapter, profile, model, effort }: Agent): string {
  return JSON.stringify([
    adapter.name,
    model,
    effort,
    profile?.options,
    profile?.env,
    profile?.envFrom,
  ]);
}

/** A tool server that cannot be started: agents begin without it, most of them without a word. */
function missingServers(
  { name, profile }: Agent,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Problem[] {
  return Object.entries(profile?.mcp ?? {}).flatMap(([server, definition]) => {
    if (!('command' in definition)) return [];
    const [program = ''] = definition.command;
    const visible = { ...env, ...definition.env };
    if (findProgram(program, cwd, visible) !== undefined) return [];
    return [
      {
        code: 'MCP_NOT_FOUND',
        message: `"${program}", the program of the tool server "${server}" of the profile "${name}", is not in the PATH, or cannot be executed`,
        hint: 'Install it; or correct `mcp` in the profile and start a new run.',
      },
    ];
  });
}

function missingVariable(variable: string, profile: string): Problem {
  return {
    code: 'ENV_MISSING',
    message: `the profile "${profile}" passes on ${variable}, which is not set`,
    hint: `Set ${variable}, or take it out of envFrom.`,
  };
}
