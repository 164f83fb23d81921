import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { MARKER_VARIABLE, endTree, processTree } from './tree.js';
import { identifyChild } from './identity.js';
import { isShortage } from './system-error.js';

/** How a command that devflow waited for ended. */
export interface CommandResult {
  /** Undefined where it did not exit by itself. */
  readonly status: number | undefined;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Why it could not be started, where it could not. */
  readonly spawnError?: string;
  /** The last part of both streams, as they came. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** How many bytes of each stream's end to keep. */
  readonly keepBytes?: number;
  /** What it gets on its standard input, which is closed where it is left out. */
  readonly input?: string;
}

/**
 * Runs an operator's command to its end, whatever it leaves behind: a group of its own,
 * ended with all its children at the time limit. Never throws for what the command does: only where the system has no process or file handle left to start it.
 */
export async function runCommand(
  command: readonly string[],
  { cwd, env, timeoutMs, signal, keepBytes = 64_000, input }: CommandOptions,
): Promise<CommandResult> {
  const [program = '', ...args] = command;
  const token = randomUUID();
  const start = performance.now();
  const { execa } = await import('execa'); // takes longer to load than git takes to answer: only where it is needed
  const child = execa(program, args, {
    cwd,
    env: { ...env, PWD: cwd, [MARKER_VARIABLE]: token },
    extendEnv: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    all: true,
    buffer: false,
    detached: true,
    cleanup: false,
    reject: false,
  });
  const leader = child.pid === undefined ? undefined : identifyChild(child.pid);
  const tree = processTree(leader, token);
  const [output, stdout, stderr] = [child.all, child.stdout, child.stderr].map((stream) =>
    keepTail(stream, keepBytes),
  );
  const ended = await raceEnd(child, timeoutMs, signal);
  // Also after a normal exit: a child left behind could still change the tree, and holds the pipe.
  await endTree(tree, { graceMs: ended === 'exit' ? 200 : 2_000 });
  const streams = [child.all, child.stdout, child.stderr];
  if (child.pid !== undefined) await drain(streams);
  for (const stream of streams) stream.destroy();
  const result = await child;
  // That it could not be started for want of handles or processes says nothing of the command.
  if (child.pid === undefined && isShortage(result.cause)) throw result.cause;
  return {
    status: ended === 'exit' ? result.exitCode : undefined,
    ...(result.signal !== undefined && { signal: result.signal }),
    ...(child.pid === undefined && { spawnError: result.shortMessage ?? 'could not be started' }),
    timedOut: ended === 'timeout',
    aborted: ended === 'abort',
    output: output?.() ?? '',
    stdout: stdout?.() ?? '',
    stderr: stderr?.() ?? '',
    durationMs: performance.now() - start,
  };
}

/** How long what was printed may take to arrive, once nobody is left to print: a process that hides may hold the pipe. */
const DRAIN_MS = 1_000;

async function drain(streams: readonly Readable[]): Promise<void> {
  const over = new AbortController();
  const ends = streams.map((stream) => finished(stream).catch(() => undefined));
  const timer = delay(DRAIN_MS, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.all(ends), timer]);
  over.abort();
}

/** Collects the last bytes of a stream; what is asked for later is decoded whole. */
function keepTail(stream: NodeJS.ReadableStream, keepBytes: number): () => string {
  let chunks: Buffer[] = [];
  let size = 0;
  stream.on('error', () => undefined); // the stream is destroyed above where a child still holds it
  stream.on('data', (chunk: Buffer | string) => {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > 2 * keepBytes) {
      chunks = [Buffer.concat(chunks).subarray(-keepBytes)];
      size = keepBytes;
    }
  });
  return () => Buffer.concat(chunks).subarray(-keepBytes).toString('utf8');
}

/** Above this a timer of node's goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** On `exit`, never on `close`: a grandchild that holds the pipe keeps that from coming. */
async function raceEnd(
  child: { pid?: number; once(event: 'exit' | 'error', listener: () => void): unknown },
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<'exit' | 'timeout' | 'abort'> {
  if (child.pid === undefined) return 'exit';
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish('timeout'), Math.min(timeoutMs, LONGEST_TIMER_MS));
    const onAbort = () => finish('abort');
    const finish = (end: 'exit' | 'timeout' | 'abort') => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(end);
    };
    child.once('exit', () => finish('exit'));
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort);
  });
}
