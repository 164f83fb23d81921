import type { AgentEvent } from '@devflow/core';
import type { Terminal } from '../terminal.js';
import { activity } from '../reporters/lines.js';
import { type Style, fit } from '../text/style.js';
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
    return `${fit(line, width)}\n`;
  }
  const words = activity(event);
  if (words === undefined) return '';
  const time = event.at?.slice(11, 19) ?? '';
  const failed = event.ok === false ? style.red(' ✖') : '';
  const head = `${time}  ${event.kind.padEnd(8)} `;
  return `${style.dim(head)}${fit(words, Math.max(20, width - head.length - 2))}${failed}\n`;
}
