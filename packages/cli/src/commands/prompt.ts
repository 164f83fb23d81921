import { DevflowError } from '@devflow/core/errors';
import { type PromptQuery, keptPrompt } from '@devflow/core/prompt';
import { nameOptions } from '../config/options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { printedLine, wrap } from '../text/style.js';
import { othersLine, theRunToLookAt } from '../unfinished.js';

export interface PromptFlags {
  readonly phase?: string;
  readonly attempt?: string;
  readonly json?: true;
  readonly cwd?: string;
}

/** Prints what an attempt was asked, to the letter; what it belongs to is said beside it. */
export async function showPrompt(
  named: string | undefined,
  flags: PromptFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const query = queryIn(flags);
  const { id, others = [] } = named === undefined ? await theRunToLookAt(place) : { id: named };
  const found = await keptPrompt(id, query, place).catch((error: unknown) => {
    throw nameOptions(error, {});
  });
  if (flags.json === true) {
    terminal.out(`${JSON.stringify(found, undefined, 2)}\n`);
    return EXIT.completed;
  }
  const { run, phase, attempt, agent, prompt } = found;
  const head = `${run}: ${phase.id} ${phase.name}, attempt ${attempt}, ${agent}`;
  terminal.err(`${terminal.errStyle.dim(wrap(head, terminal.errWidth))}\n`);
  terminal.out(terminal.interactive ? forTerminal(prompt) : prompt);
  if (others.length > 0) terminal.err(`${wrap(othersLine(others), terminal.errWidth)}\n`);
  return EXIT.completed;
}

/** What a prompt quotes of an agent's output must not steer the terminal; a pipe gets it as it is. */
function forTerminal(prompt: string): string {
  return prompt.split('\n').map(printedLine).join('\n');
}

function queryIn({ phase, attempt }: PromptFlags): PromptQuery {
  if (attempt !== undefined && !/^[1-9]\d*$/.test(attempt))
    throw new DevflowError('OPTION_INVALID', `--attempt: expected a number, found "${attempt}"`);
  return {
    ...(phase !== undefined && { phase }),
    ...(attempt !== undefined && { attempt: Number(attempt) }),
  };
}
