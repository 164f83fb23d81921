/**
 * The adapter contract: all that a package for one coding agent needs of devflow, and nothing of its
 * engine. An adapter is pure: it says which command to run and reads what came out. The core owns the
 * process, the worktree, the limits and the judgement.
 */
import type { AgentEvent, AgentResult } from './agent-event.js';
import type { McpServer } from './mcp.js';
import type { Clock } from './reset-time.js';

/** `work` may change the checkout; of a `review` nothing reaches the run. */
export type Mode = 'work' | 'review';

/** Who confines the agent: devflow's sandbox around it, the agent's own sandbox, or nobody. */
export type Confinement = 'devflow' | 'own' | 'nobody';

export interface AgentAdapter {
  /** Lower-case and stable, e.g. `claude`. */
  readonly name: string;
  readonly capabilities: AgentCapabilities;
  /** Names of the caller's environment variables that the agent needs; all others stay behind. */
  readonly envFrom?: readonly string[];
  /** Directories, looked in after the PATH, where its package managers put the program; `~/` is HOME. */
  readonly searchPath?: readonly string[];
  /** Paths at the root of a checkout that are code or configuration to the agent: taken out of a review's disposable checkout, so that the reviewed work cannot steer its review. */
  readonly reviewHides?: readonly string[];
  /** Local code that it stands for, as it was when the adapter was made; a package that was installed has none. */
  readonly source?: AdapterSource;
  /** The same adapter with a profile's own options. Throws {@link AdapterOptionsError} naming all that is wrong. Without it the adapter has no options. */
  configure?(options: Readonly<Record<string, unknown>>): AgentAdapter;
  /** The command for one attempt. Pure: the core owns the process. */
  execCommand(request: ExecRequest): AgentCommand;
  /** Does this output end as a finished turn ends? Asked once, after the exit, with the last whole lines of stdout up to 1 MB. */
  completionSignalDetected(output: string): boolean;
  /** Environment for the agent's process tree, added to the allow-listed base. */
  extraEnv?(request: ExecRequest): Readonly<Record<string, string>>;
  /** What stands in the way of a launch, each with what to do about it. Spends nothing. */
  preflight?(probe: Probe): Promise<AdapterPreflight>;
  /** From the agent's own format to agent events; one parser an attempt. Without it stdout is plain text. */
  createParser?(clock: Clock): AgentEventParser;
  /** What the agent needs inside a sandbox: directories to write, hosts to reach. `env`: as the agent will get it. */
  sandboxNeeds?(request: ExecRequest, env: Readonly<Record<string, string>>): SandboxNeeds;
}

export interface AdapterSource {
  /** A file, or a directory with all that is in it; absolute. */
  readonly path: string;
  /** Of the content, in hex. */
  readonly hash: string;
}

/**
 * What the adapter can do for a workflow; what is left out it cannot. Asking for more is an error before
 * the launch, never a silent downgrade.
 */
export interface AgentCapabilities {
  readonly modes: readonly Mode[];
  /** Can a later attempt continue the session of an earlier one (`ExecRequest.sessionId`)? */
  readonly continue?: boolean;
  /** Can it do so in a copy, so that the earlier session stays as it is (`ExecRequest.fork`)? */
  readonly fork?: boolean;
  /** Does it take a model (`ExecRequest.model`)? */
  readonly models?: boolean;
  /** Does it take how hard to think (`ExecRequest.effort`)? A list: these words only. */
  readonly effort?: boolean | readonly string[];
  /** Does it take standing instructions beside the prompt (`ExecRequest.instructions`)? */
  readonly instructions?: boolean;
  /** Does it take tool servers (`ExecRequest.mcp`)? */
  readonly mcp?: boolean;
  /** Can its final answer be asked for by a JSON Schema (`ExecRequest.outputSchema`)? */
  readonly structuredOutput?: boolean;
  /** Does it bring a sandbox of its own (`confinedBy: 'own'`)? */
  readonly ownSandbox?: boolean;
  /** When it states what it used: while it works, at the end of its turn, or not at all. */
  readonly usage?: { readonly tokens: Reporting; readonly usd: Reporting };
}

export type Reporting = 'live' | 'at-end' | 'none';

export interface ExecRequest {
  /** Number of the phase. */
  readonly phase: number;
  readonly mode: Mode;
  readonly prompt: string;
  /** The checkout the agent works in; absolute. */
  readonly cwd: string;
  /** Directories outside `cwd` that the agent's own sandbox must let it write: the worktree's git metadata. */
  readonly extraWritableRoots: readonly string[];
  readonly confinedBy: Confinement;
  // What follows is only given to adapters whose capabilities name it.
  readonly model?: string;
  /** How hard to think, in the words of the agent. */
  readonly effort?: string;
  /** Standing instructions beside the prompt. */
  readonly instructions?: string;
  /** Tool servers, by name; the only ones that the agent is to use. */
  readonly mcp?: Readonly<Record<string, McpServer>>;
  /** JSON Schema of the final answer. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** The session to continue. */
  readonly sessionId?: string;
  /** Continue a copy of it. */
  readonly fork?: true;
  /** The agent's version, as its preflight found it. */
  readonly agentVersion?: string;
  /** A private directory of the attempt for generated files; nothing is ever written into the user's project or profile. */
  readonly scratchDir: string;
}

export interface AgentCommand {
  /** A program name, looked up in the PATH of the agent's environment, or an absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** What the agent reads from its standard input, which is a file and ends there. */
  readonly stdin: string;
  /** Files to write into `scratchDir` before the launch: relative path to content. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface AgentEventParser {
  /** One whole line of stdout, without its end. Never throws; what it does not know becomes `other`. */
  line(text: string): readonly AgentEvent[];
  /** Tool calls that began and have not ended: an agent that waits for one is not idle. */
  openCalls(): number;
  /** What the stream as a whole says of the turn; asked again and again while the agent works, too. A turn that it calls finished is over: an agent that goes on printing nothing is ended then. */
  result(): AgentResult;
}

export interface SandboxNeeds {
  readonly write: readonly string[];
  readonly hosts: readonly string[];
}

/** One thing that stands in the way, and what to do about it. */
export interface Problem {
  /** Upper-case and stable, e.g. `AGENT_NOT_FOUND`. */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export interface AdapterPreflight {
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
  /** The agent's version, as it states it. */
  readonly version?: string;
  /** What will be billed, opaque, e.g. `api-key`; undefined where that is not known. */
  readonly account?: string;
  /** Why the session of the probe cannot be continued: the attempt begins one of its own then. */
  readonly staleSession?: string;
}

/** A member of {@link ExecRequest} that not every attempt has. */
export type Asked = 'model' | 'effort' | 'instructions' | 'mcp' | 'outputSchema' | 'sessionId';

/** What an adapter may ask before a launch. Nothing here reaches a model. */
export interface Probe {
  /** The run's checkout, or the user's where there is none yet. */
  readonly cwd: string;
  readonly mode: Mode;
  readonly confinedBy: Confinement;
  /** What the next attempt asks for besides its prompt: only the flags of that must be known to the program. */
  readonly asks: readonly Asked[];
  readonly model?: string;
  readonly effort?: string;
  /** The session that the next attempt continues. */
  readonly sessionId?: string;
  /** The environment that the agent will get. */
  readonly env: Readonly<Record<string, string>>;
  /** True once a run, and again after an attempt that ended as `auth`. */
  readonly checkLogin: boolean;
  /** The absolute path of a program in the agent's PATH. */
  find(program: string): Promise<string | undefined>;
  /** Runs a program in the agent's environment. `cached`: the answer depends on the program file only, and is kept by its path, size and time. */
  ask(program: string, args: readonly string[], options?: ProbeOptions): Promise<ProbeAnswer>;
}

export interface ProbeOptions {
  /** 20 s where it is left out. */
  readonly timeoutMs?: number;
  readonly cached?: boolean;
  /** How many bytes of each stream's end to keep; 64,000 where it is left out. */
  readonly keepBytes?: number;
}

export interface ProbeAnswer {
  /** Undefined where the program could not be started, was killed, or ran out of time. */
  readonly status: number | undefined;
  /** It was ended because it did not answer in time. */
  readonly timedOut?: true;
  readonly stdout: string;
  readonly stderr: string;
}

/** The keys of a profile that are devflow's; all others are options of its adapter. */
export const PROFILE_KEYS = [
  'adapter', 'model', 'effort', 'env', 'envFrom', 'instructions', 'instructionsFile', 'mcp',
] as const; // prettier-ignore

/** Thrown by {@link AgentAdapter.configure}: every option that is wrong, as `path: what is expected`. */
export class AdapterOptionsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'AdapterOptionsError';
  }
}
