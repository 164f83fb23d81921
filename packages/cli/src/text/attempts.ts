import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AttemptResult } from '@devflow/core';
import { type Style, fit, oneLine, printedLine } from './style.js';

/** How much of what a check printed is shown: its end mostly says why it failed. */
const SHOWN_LINES = 10;

/** `3 code`: the attempt's directory, `03-code/1`, is named after its phase. */
export function attemptLabel({ phase, directory }: Pick<AttemptResult, 'phase' | 'directory'>) {
  const name = /^\d+-(.+)$/.exec(path.basename(path.dirname(directory)))?.[1];
  return name === undefined ? `phase ${phase}` : `${phase} ${name}`;
}

/** The end of what each failed check printed. */
export function checkLines({ checks }: Pick<AttemptResult, 'checks'>, style: Style): string[] {
  return checks
    .filter(({ passed, output }) => !passed && output.trim() !== '')
    .flatMap(({ name, output }) => {
      const printed = output.trimEnd().split('\n').map(printedLine);
      const last = printed.length > SHOWN_LINES ? ` (last ${SHOWN_LINES} lines)` : '';
      return [
        `    check "${fit(oneLine(name), 40)}" printed${last}:`,
        ...printed.slice(-SHOWN_LINES).map((line) => style.dim(`      ${line}`).trimEnd()),
      ];
    });
}

/** Where all is that the agent printed in the last attempt that was not completed. */
export function outputPlace(attempts: readonly AttemptResult[]): string[] {
  const last = attempts.findLast(({ outcome }) => outcome !== 'completed');
  if (last === undefined || !existsSync(path.join(last.directory, 'stdout.log'))) return [];
  const file = path.join(last.directory, 'stdout.log');
  return [`  what it printed: ${file}, stderr.log`]; // not wrapped: it can be copied
}
