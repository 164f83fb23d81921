import { type ChildProcess, spawn } from 'node:child_process';
import { identify, readProcess } from './identity.js';

export interface Captured {
  readonly status: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Set where the program could not be started. */
  readonly error?: NodeJS.ErrnoException;
}

/**
 * Runs a short, trusted program (git) and captures all it prints. Not execa: loading it takes
 * four times as long as node takes to start, and `devflow status` needs one git call.
 */
export function capture(
  program: string,
  args: readonly string[],
  options: {
    cwd: string;
    env: Readonly<Record<string, string>>;
    stdin?: string | Buffer;
    /** Ends it with all that it started: then it has no status. */
    signal?: AbortSignal | undefined;
  },
): Promise<Captured> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true, // a group of its own: Ctrl-C in the terminal is for devflow, which waits for this
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin?.on('error', () => undefined); // it exited without reading: its status says so
    child.stdin?.end(options.stdin);
    const stopEnding = endOnAbort(child, options.signal);
    const finish = (status: number | undefined, error?: NodeJS.ErrnoException) => {
      stopEnding();
      resolve({
        status,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString('utf8'),
        ...(error !== undefined && { error }),
      });
    };
    child.once('error', (error: NodeJS.ErrnoException) => finish(undefined, error));
    child.once('close', (status) => finish(status ?? undefined));
  });
}

/** Between TERM and KILL: git takes its lock files away. */
const GRACE_MS = 2_000;

/** @returns what forgets about it, once the child is gone */
function endOnAbort(child: ChildProcess, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const startTime = child.pid === undefined ? undefined : identify(child.pid)?.startTime;
  const onAbort = () => {
    killGroup(child, startTime, 'SIGTERM');
    timer = setTimeout(() => {
      killGroup(child, startTime, 'SIGKILL');
      // Whoever left the group may still hold the pipes, and would keep `close` from coming.
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, GRACE_MS);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}

/** The number is nobody else's while the group has members; a leader that started at another time means that it had none in between. */
function killGroup(
  { pid }: ChildProcess,
  startTime: string | undefined,
  name: NodeJS.Signals,
): void {
  if (pid === undefined) return; // it was never started
  const leader = readProcess(pid);
  if (leader !== undefined && leader.startTime !== startTime) return;
  try {
    process.kill(-pid, name);
  } catch {
    // it is gone
  }
}
