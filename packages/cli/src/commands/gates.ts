import { gateFacts, gatesOf } from '@devflow/core';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { decisionText, gateText } from '../text/gate.js';

export interface GatesFlags {
  readonly json?: true;
  readonly cwd?: string;
}

/** What persons are asked, with what is needed to decide. */
export async function showGates(
  named: string | undefined,
  flags: GatesFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const one = named === undefined ? undefined : await gateFacts(named, place);
  const all = named === undefined ? await gatesOf(place) : one === undefined ? [] : [one];
  if (flags.json === true) terminal.out(`${JSON.stringify(all, undefined, 2)}\n`);
  else if (all.length === 0)
    terminal.out(
      `${named === undefined ? 'No run here waits for an answer' : `The run ${named} waits for no answer`}.\n`,
    );
  else
    terminal.out(
      all.map((facts) => `${gateText(facts, terminal)}\n${decisionText(facts)}`).join('\n'),
    );
  return EXIT.completed;
}
