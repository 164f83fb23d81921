import type { Confinement, Problem } from '../adapter/index.js';

/** A command as the wrapper starts it. */
interface ConfinableCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What the command may do. */
export interface SandboxPolicy {
  /** Directories it may write to; absolute. */
  readonly write: readonly string[];
  /** Hosts it may reach. */
  readonly hosts: readonly string[];
}

/** Turns a command and a policy into another command, and nothing else of devflow knows how. */
export interface SandboxProvider {
  readonly name: string;
  readonly confinedBy: Confinement;
  confine(command: ConfinableCommand, policy: SandboxPolicy): ConfinableCommand;
  /** Why it cannot work here. There is no silent fallback: a problem stops the run. */
  preflight(policy: SandboxPolicy): Promise<readonly Problem[]>;
}
