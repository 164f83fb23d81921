import type { Reason } from '@devflow/core';
import { type Style, oneLine, wrap } from './style.js';
import { inLocalTime } from './time.js';

const WIDEST = 'unknown'.length;

/** Each ground of a verdict with its evidence, in a line: `no       checks: check "npm test" failed (exit 1)`. */
export function reasonLines(reasons: readonly Reason[], width: number): string[] {
  return reasons.map(({ evidence, says, text }) => {
    const lead = `${says.padEnd(WIDEST)}  `;
    const words = inLocalTime(`${evidence}: ${text}`);
    return `${lead}${wrap(words, width, ' '.repeat(lead.length))}`;
  });
}

/** The grounds of an attempt below its line: those that do not say yes one by one, the others in one. @param said the instant that stands above them */
export function groundLines(
  reasons: readonly Reason[],
  { style, width }: { readonly style: Style; readonly width: number },
  said?: string,
): string[] {
  const words = ({ evidence, says, text }: Reason) =>
    `${evidence}${says === 'unknown' ? ' (unknown)' : ''}: ${inLocalTime(oneLine(text), said)}`;
  const against = reasons.filter(({ says }) => says !== 'yes').map(words);
  const yes = reasons.filter(({ says }) => says === 'yes').map(words);
  const line = (text: string) => `    ${wrap(text, width, '    ')}`;
  return [
    ...against.map(line),
    ...(yes.length === 0 ? [] : [style.dim(line(`yes: ${yes.join('; ')}`))]),
  ];
}
