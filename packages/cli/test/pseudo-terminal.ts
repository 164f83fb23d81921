import { spawn } from 'node:child_process';
import { PROGRAM, until } from './command-line.js';

/** devflow on a terminal of its own. */
export interface OnTerminal {
  /** What was written to the terminal, control sequences and all. */
  screen(): string;
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Closes the terminal, as a window is closed: all in it get a HUP. */
  close(): void;
  /** The exit code of devflow; null where the terminal was closed. */
  readonly ended: Promise<number | null>;
}

/** Runs devflow on a pseudo-terminal of 80 columns. */
export function startOnTerminal(
  args: readonly string[],
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string>> },
): OnTerminal {
  const command = `stty cols 80 rows 24; exec node '${PROGRAM}' ${args.join(' ')}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: root,
    env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let screen = '';
  terminal.stdout.on('data', (text: Buffer) => (screen += text.toString()));
  terminal.stdin.on('error', () => undefined); // it may have ended
  const ended = new Promise<number | null>((resolve) => terminal.once('close', resolve));
  return {
    screen: () => screen,
    shows: (text) =>
      until(
        () => screen.includes(text),
        () => `"${text}" on: ${screen}`,
      ),
    type: (keys) => void terminal.stdin.write(keys),
    close: () => void terminal.kill('SIGKILL'),
    ended,
  };
}
