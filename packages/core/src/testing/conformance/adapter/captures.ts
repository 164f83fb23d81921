import { findAnswer } from '../../../evidence/answer.js';
import { readEntry } from '../../../adapter/index.js';
import { type Capture, type CaptureReading, readCapture } from '../../read-capture.js';
import { KIT_PLACES, configured, whyNotConfigured } from './place.js';
import type { AdapterCaptures, AdapterSubject } from './subject.js';

export const MARKER = 'DEVFLOW_RESULT: {"status":"success","summary":"it is done"}';

const PLAIN_TEXT: AdapterCaptures = {
  success: {
    stdout: `I have said hello.\n\n${MARKER}\n`,
    status: 0,
    says: { finalText: `I have said hello.\n\n${MARKER}` },
  },
  error: { stdout: 'I could not.\n\nDEVFLOW_RESULT: {"status":"failed"}\n', status: 0 },
};

/** Why there is nothing to read; undefined where there is. */
export function whyNoCaptures(subject: AdapterSubject): string | undefined {
  const why =
    capturesOf(subject) === undefined
      ? `there are no captures of what its agent prints (\`captures\` ${KIT_PLACES})`
      : undefined;
  return whyNotConfigured(subject) ?? why;
}

export function whyNoEvents(subject: AdapterSubject): string | undefined {
  return whyNotConfigured(subject) ?? (isPlainText(subject) ? NO_EVENTS : undefined);
}

const NO_EVENTS = 'its output is plain text: it carries no events';

export function isPlainText(subject: AdapterSubject): boolean {
  return configured(subject).createParser === undefined;
}

/** The captures of a subject that has them, or whose output is plain text. */
export function capturesOf(subject: AdapterSubject): AdapterCaptures | undefined {
  return subject.captures ?? (isPlainText(subject) ? PLAIN_TEXT : undefined);
}

/** Those of a subject of which {@link whyNoCaptures} says nothing. */
export function requireCaptures(subject: AdapterSubject): AdapterCaptures {
  const captures = capturesOf(subject);
  if (captures === undefined) throw new Error('the subject gives no captures');
  return captures;
}

/** A capture as devflow reads it. */
export function readAs(subject: AdapterSubject, capture: Capture): CaptureReading {
  return readCapture(configured(subject), capture);
}

/** The lines of an output that are not empty. */
export function linesOf(stdout: string): string[] {
  return stdout.split('\n').filter((line) => line !== '');
}

export function asOutput(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The same line with every text in it replaced; one that holds no entry stays as it is. */
export function mapTexts(line: string, change: (text: string) => string): string {
  const entry = readEntry(line);
  return entry === undefined ? line : JSON.stringify(deep(entry, change, () => true));
}

/** The same line without the fields that are called so. */
export function withoutFields(line: string, name: RegExp): string {
  const entry = readEntry(line);
  const keep = (field: string) => !name.test(field);
  return entry === undefined ? line : JSON.stringify(deep(entry, (text) => text, keep));
}

function deep(
  value: unknown,
  change: (text: string) => string,
  keep: (field: string) => boolean,
): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((inner) => deep(inner, change, keep));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([field]) => keep(field));
  return Object.fromEntries(entries.map(([field, inner]) => [field, deep(inner, change, keep)]));
}

/** Would a phase that asks for an answer be complete with this? */
export function isComplete(subject: AdapterSubject, capture: Capture): boolean {
  const { outcome, result } = readAs(subject, capture);
  const { answer } = findAnswer(result.finalText ?? '', capture.prompt ?? '');
  return outcome === 'completed' && answer?.status === 'success';
}

/** How a reading ends, in words. */
export function endOf({ outcome, result, completionSignal }: CaptureReading): string {
  return `${outcome}, turn ${result.turn}, completion ${completionSignal ? 'detected' : 'not detected'}`;
}
