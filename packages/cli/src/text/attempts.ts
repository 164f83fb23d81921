import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AttemptResult, SkippedPhase } from '@devflow/core';
import { type Style, fit, oneLine, printedLine } from './style.js';

/** How much of what a check printed is shown: its end mostly says why it failed. */
const SHOWN_LINES = 10;

/** `3 code`: the attempt's directory, `03-code/1`, is named after its phase. */
export function attemptLabel({ phase, directory }: Pick<AttemptResult, 'phase' | 'directory'>) {
  const name = /^\d+-(.+)$/.exec(path.basename(path.dirname(directory)))?.[1];
  return name === undefined ? `phase ${phase}` : `${phase} ${name}`;
}

/** `2 test skipped: when: … is false` */
export function skippedLine({ phase, name, reason }: SkippedPhase): string {
  return `${phase} ${oneLine(name)} skipped: ${oneLine(reason)}`;
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
        ...printed.slice(-SHOWN_LINES).map((line) => outputLine(line, style)),
      ];
    });
}

function outputLine(line: string, style: Style): string {
  return style.dim(`      ${fit(line, Infinity)}`).trimEnd();
}

/** How much of what a ground stands on is shown: the rest is in the JSON. */
const SHOWN_DETAIL = 20;

/** What was changed that may not be, as a diff. */
export function detailLines({ reasons }: Pick<AttemptResult, 'reasons'>, style: Style): string[] {
  return reasons.flatMap(({ detail }) => {
    if (detail === undefined) return [];
    const lines = detail.trimEnd().split('\n').map(printedLine);
    const more = lines.length - SHOWN_DETAIL;
    const shown = lines.slice(0, SHOWN_DETAIL).map((line) => outputLine(line, style));
    return more > 0 ? [...shown, style.dim(`      and ${more} more lines`)] : shown;
  });
}

/** Of checks that were run before the phase too: what it made pass, and what passed before. */
export function madeToPass({ checks }: Pick<AttemptResult, 'checks'>): string[] {
  const named = (before: 'passed' | 'failed') =>
    checks
      .filter((check) => check.passed && check.before === before)
      .map(({ name }) => `"${fit(oneLine(name), 40)}"`)
      .join(', ');
  const parts = [
    ['made to pass', named('failed')],
    ['passed before too', named('passed')],
  ].flatMap(([what, names]) => (names === '' ? [] : [`${what}: ${names}`]));
  return parts.length === 0 ? [] : [`checks ${parts.join('; ')}`];
}

/** Where all is that the agent printed in the last attempt that was not completed. */
export function outputPlace(attempts: readonly AttemptResult[]): string[] {
  const last = attempts.findLast(({ outcome }) => outcome !== 'completed');
  if (last === undefined || !existsSync(path.join(last.directory, 'stdout.log'))) return [];
  const file = path.join(last.directory, 'stdout.log');
  return [printedLine(`  what it printed: ${file}, stderr.log`)]; // not wrapped: it can be copied
}
