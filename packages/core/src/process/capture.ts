import { spawn } from 'node:child_process';

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
  options: { cwd: string; env: Readonly<Record<string, string>>; stdin?: string },
): Promise<Captured> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin?.on('error', () => undefined); // it exited without reading: its status says so
    child.stdin?.end(options.stdin);
    const finish = (status: number | undefined, error?: NodeJS.ErrnoException) =>
      resolve({
        status,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString('utf8'),
        ...(error !== undefined && { error }),
      });
    child.once('error', (error: NodeJS.ErrnoException) => finish(undefined, error));
    child.once('close', (status) => finish(status ?? undefined));
  });
}
