import { spawn } from 'node:child_process';
import { PROGRAM, until } from './command-line.js';
import { here } from './own-adapters.js';

/**
 * Runs devflow on a pseudo-terminal of 80 columns; gives an answer once it is asked.
 *
 * @param meanwhile what happens before the answer
 */
export async function onTerminal(
  args: readonly string[],
  answer: string,
  meanwhile: () => void = () => undefined,
) {
  const command = `stty cols 80 rows 24; exec node '${PROGRAM}' ${args.join(' ')}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: here.root,
    env: { ...here.env, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let screen = '';
  terminal.stdout.on('data', (text: Buffer) => (screen += text.toString()));
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  if (answer !== '') {
    await until(
      () => screen.includes('[y/N]'),
      () => screen,
    );
    meanwhile();
    terminal.stdin.write(answer);
  }
  return { code: await ended, screen };
}
