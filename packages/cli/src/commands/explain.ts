import type { Explanation } from '@devflow/core';
import { explainRun } from '@devflow/core/status';
import { nameOptions } from '../config/options.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { reasonLines } from '../text/reasons.js';
import { paintState } from '../text/run.js';
import { type Style, block, wrap } from '../text/style.js';
import { inLocalTime } from '../text/time.js';
import { othersLine, theRunToLookAt } from '../unfinished.js';

export interface ExplainFlags {
  readonly phase?: string;
  readonly json?: true;
  readonly cwd?: string;
}

export async function showExplanation(
  named: string | undefined,
  { phase, json, ...flags }: ExplainFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const place = placeOf(flags);
  const { id, others } = named === undefined ? await theRunToLookAt(place) : { id: named };
  const asked = { ...place, ...(phase !== undefined && { phase }) };
  const run = await explainRun(id, asked).catch((error: unknown) => {
    throw nameOptions(error, {});
  });
  if (json === true) {
    terminal.out(`${JSON.stringify(run, undefined, 2)}\n`);
    return EXIT.completed;
  }
  const { style } = terminal;
  const parts = run.phases.map((each) => explanationLines(each, terminal).join('\n'));
  terminal.out(`${style.bold(run.id)}  ${paintState(run.state, style)}\n\n${parts.join('\n\n')}\n`);
  if (others !== undefined && others.length > 0)
    terminal.err(`${wrap(`this was ${id}; ${othersLine(others)}`, terminal.errWidth)}\n`);
  return EXIT.completed;
}

const SAID: Readonly<Record<Explanation['standing'], string>> = {
  complete: 'is complete',
  'not-approved': 'is not approved',
  'not-complete': 'is not complete',
  'under-way': 'is under way',
  waiting: 'waits',
  'not-reached': 'is not reached',
  'left-out': 'is left out',
  skipped: 'was skipped',
};

function explanationLines(
  { phase: { id, name }, standing, why, reasons, change }: Explanation,
  { style, width }: Pick<Terminal, 'style' | 'width'>,
): string[] {
  const line = (text: string, first = '  ') =>
    `${first}${block(inLocalTime(text), width, ' '.repeat(first.length))}`;
  return [
    `${style.bold(`${id} ${name}`)} ${painted(standing, style)}`,
    ...why.map((text) => line(text)),
    ...reasonLines(reasons, width).map((text) => `  ${text}`),
    ...(change.length === 0 ? [] : ['  what would change it:']),
    ...change.map((text) => line(text, '  - ')),
  ];
}

function painted(standing: Explanation['standing'], style: Style): string {
  const paint =
    standing === 'complete' ? style.green : standing === 'not-complete' ? style.red : style.yellow;
  return paint(SAID[standing]);
}
