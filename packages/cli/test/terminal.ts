import { here } from './own-adapters.js';
import { startOnTerminal } from './pseudo-terminal.js';

/**
 * Runs devflow on a pseudo-terminal to its end; gives an answer once it is asked.
 *
 * @param meanwhile what happens before the answer
 */
export async function onTerminal(
  args: readonly string[],
  answer: string,
  meanwhile: () => void = () => undefined,
) {
  const terminal = startOnTerminal(args, here);
  if (answer !== '') {
    await terminal.shows('[y/N]');
    meanwhile();
    terminal.type(answer);
  }
  return { code: await terminal.ended, screen: terminal.screen() };
}
