import type { AgentEvent } from '@devflow/core';
import type { Terminal } from '../terminal.js';
import { activities } from '../reporters/lines.js';
import { type Style, fit, printedLine, wrap } from '../text/style.js';
import type { AttemptFiles } from './attempts.js';

/** @param agent undefined where it is not known */
export function headLine(
  { phase, name, attempt }: AttemptFiles,
  agent: string | undefined,
  style: Style,
): string {
  const by = agent === undefined ? '' : `, ${agent}`;
  return style.bold(`── ${phase} ${name}, attempt ${attempt}${by}`);
}

/** An event as lines; nothing where it says nothing. What cannot be read is shown as it is. */
export function eventLine(line: string, { style, width }: Terminal): string {
  let event: AgentEvent & { readonly at?: string };
  try {
    event = JSON.parse(line) as AgentEvent & { readonly at?: string }; // written by devflow
  } catch {
    return `${printedLine(line)}\n`;
  }
  const time = event.at?.slice(11, 19) ?? '';
  const failed = event.ok === false ? style.red(' ✖') : '';
  const head = `${time}  ${event.kind.padEnd(8)} `;
  const shown = (words: string) =>
    width === Infinity
      ? wrap(words, width, ' '.repeat(head.length))
      : fit(words, Math.max(20, width - head.length - 2));
  return activities(event)
    .map((words) => `${style.dim(head)}${shown(words)}${failed}\n`)
    .join('');
}

/** A line of an agent that prints text, whole; what it wrote to its standard error is marked. */
export function textLine(line: string, stream: 'stdout' | 'stderr', style: Style): string {
  const text = printedLine(line);
  return stream === 'stdout' ? `${text}\n` : `${style.yellow('stderr:')} ${text}\n`;
}

/** In place of events, where there are none. */
export function placeLine({ stdout }: AttemptFiles, { style }: Terminal): string {
  // Not wrapped: it can be copied.
  return `${style.dim(printedLine(`nothing to show; what the agent printed: ${stdout}, stderr.log`))}\n`;
}
