import type { AgentEvent } from '@devflow/core';
import type { Terminal } from '../terminal.js';
import { activity } from '../reporters/lines.js';
import { type Style, fit, printedLine, wrap } from '../text/style.js';
import type { AttemptFiles } from './attempts.js';

export function headLine({ phase, name, attempt }: AttemptFiles, style: Style): string {
  return style.bold(`── ${phase} ${name}, attempt ${attempt}`);
}

/** An event as a line; nothing where it says nothing. What cannot be read is shown as it is. */
export function eventLine(line: string, { style, width }: Terminal): string {
  let event: AgentEvent & { readonly at?: string };
  try {
    event = JSON.parse(line) as AgentEvent & { readonly at?: string }; // written by devflow
  } catch {
    return `${printedLine(line)}\n`;
  }
  const words = activity(event);
  if (words === undefined) return '';
  const time = event.at?.slice(11, 19) ?? '';
  const failed = event.ok === false ? style.red(' ✖') : '';
  const head = `${time}  ${event.kind.padEnd(8)} `;
  return `${style.dim(head)}${fit(words, Math.max(20, width - head.length - 2))}${failed}\n`;
}

/** A line of an agent that prints text, whole; what it wrote to its standard error is marked. */
export function textLine(line: string, stream: 'stdout' | 'stderr', style: Style): string {
  const text = printedLine(line);
  return stream === 'stdout' ? `${text}\n` : `${style.yellow('stderr:')} ${text}\n`;
}

/** In place of events, where there are none. */
export function placeLine({ stdout }: AttemptFiles, { style, width }: Terminal): string {
  const text = `nothing to show; what the agent printed: ${stdout}, stderr.log`;
  return `${style.dim(wrap(text, width, '  '))}\n`;
}
