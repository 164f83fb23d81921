import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { AgentCommand, Asked, ExecRequest } from './adapter/index.js';
import type { Agent } from './agents.js';
import type { RunContext } from './context.js';
import { answerSchema } from './evidence/answer.js';
import { type Moment, momentNow } from './duration.js';
import { agentEnvironment } from './environment.js';
import { ownSettings, writableRoots } from './git/worktree.js';
import { WITHOUT_CGROUP, cgroupPlace, makeCgroup } from './process/cgroup.js';
import { effect } from './process/effect.js';
import type { WorktreeState } from './git/worktree-state.js';
import type { ProcessIdentity } from './process/identity.js';
import { findProgram } from './process/program.js';
import { RUN_DIRECTORY_VARIABLE } from './process/marked.js';
import { isShortage } from './process/system-error.js';
import { MARKER_VARIABLE } from './process/tree.js';
import { startWrapper } from './process/wrapper.js';
import type { SandboxPolicy, SandboxProvider } from './sandbox/index.js';
import { makeDirectory, makeWithin, writeDurably } from './state/files.js';
import type { Attempt } from './state/fold.js';
import { openAttempt } from './state/selectors.js';
import { attemptDirectory } from './state/paths.js';
import type { Phase } from './workflow/workflow.js';
import { runWorktree } from './workspace.js';

/** An attempt whose command was started, by this devflow or by one before it. */
export interface Launched {
  readonly attempt: Attempt;
  readonly prompt: string;
  /** The wrapper; undefined where it could not be started, or is not known any more. */
  readonly process: ProcessIdentity | undefined;
  /** Settles when a wrapper that this devflow started is gone. */
  readonly exited?: Promise<void>;
  /** Just before its start, where this devflow saw that. */
  readonly begun?: Moment;
  /** Is it a child of this devflow that has not been waited for? Then its number is nobody else's. */
  readonly isOurs?: () => boolean;
  /** Why it could not be started. */
  readonly failure?: string;
  /** What of it is not there any more, or is something else, in words: nobody can tell what it said. */
  readonly damage?: string;
}

export interface LaunchRequest {
  readonly phase: Phase;
  readonly agent: Agent;
  readonly number: number;
  readonly prompt: string;
  /** The checkout that the agent works in. */
  readonly cwd: string;
  /** `hidingPlaces` of the run's worktree before the attempt. */
  readonly hiding: string;
  /** The session to continue. */
  readonly continues: string | undefined;
  /** The agent's version, as its preflight found it. */
  readonly version: string | undefined;
  /** Of a review: what is not committed in the run's worktree. */
  readonly worktree: WorktreeState | undefined;
}

/** The settings of the run's worktree before the attempt, in its directory; not there where it had none. */
export const SETTINGS_COPY = 'config.worktree';

/** Keeps the prompt, journals the intent, then starts the agent's command in its wrapper. */
export async function launch(context: RunContext, request: LaunchRequest): Promise<Launched> {
  const { phase, agent, number, prompt, cwd, hiding, continues, version, worktree } = request;
  const directory = attemptDirectory(context.paths, phase, number);
  const begun = momentNow();
  const settings = ownSettings(runWorktree(context));
  effect('attempt.make', () => {
    rmSync(directory, { recursive: true, force: true }); // of a devflow that died before it journalled the intent
    makeWithin(path.dirname(directory));
    makeWithin(directory);
    writeDurably(path.join(directory, 'prompt.md'), prompt);
    if (settings !== undefined) writeDurably(path.join(directory, SETTINGS_COPY), settings);
  });
  const token = randomUUID();
  const place = cgroupPlace();
  context.log.append({
    type: 'attempt-intended',
    phase: phase.id,
    attempt: number,
    directory,
    cwd,
    token,
    ...(place !== undefined && { cgroup: path.join(place, `devflow-${token}`) }),
    hiding,
    ...(worktree !== undefined && { worktree }),
    agent: agent.name,
    ...(continues !== undefined && { continues }),
    ...(version !== undefined && { version }),
  });
  const attempt = openAttempt(context.log.state);
  if (attempt === undefined)
    throw new Error('the attempt that was just journalled is not in the state');
  return { ...(await start(context, phase, agent, attempt, prompt)), begun };
}

/** Starts the agent's command in its wrapper; the intent is journalled. */
export async function start(
  context: RunContext,
  phase: Phase,
  agent: Agent,
  attempt: Attempt,
  prompt: string,
): Promise<Launched> {
  const extraWritableRoots = writableRoots(context.repository.commonDir, attempt.cwd);
  const place = { ...attempt, extraWritableRoots };
  const request = execRequest(context.sandbox, phase, agent, place, prompt);
  const command = agent.adapter.execCommand(request);
  const env = attemptEnvironment(context, agent, attempt, request);
  const stdin = effect('attempt.command', () =>
    writeCommand(attempt, agent, command, request, env),
  );
  const program = findProgram(command.program, attempt.cwd, env);
  if (program === undefined) {
    return {
      attempt,
      prompt,
      process: undefined,
      failure: `"${command.program}" is not in the agent's PATH`,
    };
  }
  const confined = context.sandbox.confine(
    { program, args: command.args, cwd: attempt.cwd, env },
    sandboxPolicy(agent, request, env),
  );
  try {
    const { directory: dir, cgroup } = attempt;
    const wrapped = { ...confined, dir, stdin, timeoutMs: phase.timeoutMs };
    const wrapper = await effect('attempt.launch', () => {
      // Made only once it is journalled: none is left that nobody knows of.
      if (cgroup === undefined || makeCgroup(cgroup)) return startWrapper({ ...wrapped, cgroup });
      const text = `the control group ${cgroup} cannot be made: ${WITHOUT_CGROUP}`;
      context.emit({ type: 'note', text });
      return startWrapper(wrapped);
    });
    const { identity, exited, isOurs } = wrapper;
    return { attempt, prompt, process: identity, exited, isOurs };
  } catch (error) {
    if (isOfTheSystem(error)) throw error;
    return { attempt, prompt, process: undefined, failure: (error as Error).message };
  }
}

/** No process or handle left, or something of devflow's own files: no fault of the agent or of its command. */
function isOfTheSystem(error: unknown): boolean {
  const { syscall = 'spawn' } = error as NodeJS.ErrnoException;
  return isShortage(error) || !syscall.startsWith('spawn');
}

/** Where an attempt works, and the git metadata it needs there. */
export interface AttemptPlace {
  readonly cwd: string;
  readonly extraWritableRoots: readonly string[];
  /** The attempt's directory. */
  readonly directory: string;
  /** The session to continue. */
  readonly continues?: string;
  /** The agent's version, where it is known. */
  readonly version?: string;
}

/** What the adapter is asked for; the same for a launch, a launch after a crash, and a dry run. */
export function execRequest(
  { confinedBy }: SandboxProvider,
  phase: Phase,
  agent: Agent,
  place: AttemptPlace,
  prompt: string,
): ExecRequest {
  return {
    phase: phase.id,
    mode: phase.mode,
    prompt,
    cwd: place.cwd,
    extraWritableRoots: place.extraWritableRoots,
    confinedBy,
    scratchDir: path.join(place.directory, 'scratch'),
    ...askedFor(phase, agent),
    ...(place.version !== undefined && { agentVersion: place.version }),
    ...(place.continues !== undefined && { sessionId: place.continues }),
  };
}

/** What the phase and its profile ask for, by the agent's capabilities. */
export function askedFor(
  phase: Phase,
  { model, effort, profile }: Agent,
): Pick<ExecRequest, Exclude<Asked, 'sessionId'>> {
  const { instructions, mcp } = profile ?? {};
  return {
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(instructions !== undefined && { instructions }),
    ...(mcp !== undefined && { mcp }),
    ...(phase.answerBy === 'schema' && { outputSchema: answerSchema(phase) }),
  };
}

function attemptEnvironment(
  context: RunContext,
  { adapter, profile }: Agent,
  attempt: Attempt,
  request: ExecRequest,
): Record<string, string> {
  return {
    ...agentEnvironment(context.env, adapter, profile),
    ...adapter.extraEnv?.(request),
    PWD: attempt.cwd,
    DEVFLOW_RUN_ID: context.definition.id,
    [RUN_DIRECTORY_VARIABLE]: context.paths.directory,
    [MARKER_VARIABLE]: attempt.token,
  };
}

/** Writes what the command reads, and what a person may want to see of it; of the environment the names only. */
function writeCommand(
  attempt: Attempt,
  { adapter }: Agent,
  { program, args, stdin, files = {} }: AgentCommand,
  { prompt, scratchDir }: ExecRequest,
  env: Readonly<Record<string, string>>,
): string {
  rmSync(path.join(attempt.directory, 'not-started'), { force: true });
  makeWithin(scratchDir);
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(scratchDir, name);
    makeDirectory(path.dirname(file));
    writeDurably(file, content);
  }
  const plainText = adapter.createParser === undefined;
  const shown = { program, args, cwd: attempt.cwd, env: Object.keys(env).toSorted(), plainText };
  writeDurably(
    path.join(attempt.directory, 'command.json'),
    `${JSON.stringify(shown, undefined, 2)}\n`,
  );
  if (stdin === prompt) return path.join(attempt.directory, 'prompt.md');
  const file = path.join(attempt.directory, 'stdin');
  writeDurably(file, stdin);
  return file;
}

export function sandboxPolicy(
  { adapter }: Agent,
  request: ExecRequest,
  env: Readonly<Record<string, string>>,
): SandboxPolicy {
  const needs = adapter.sandboxNeeds?.(request, env) ?? { write: [], hosts: [] };
  return {
    write: [request.cwd, ...request.extraWritableRoots, ...needs.write],
    hosts: needs.hosts,
  };
}
