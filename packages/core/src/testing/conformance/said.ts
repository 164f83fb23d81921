import { appendFileSync } from 'node:fs';
import { DevflowError, type ErrorCode } from '../../errors.js';
import type { CaseResult, SubjectFacts } from './report.js';
import type { SuiteOptions } from './suite.js';

/** What the process in which a subject is asked says, a line each, in a file: that is there whatever becomes of it. */
export interface Said {
  /** When it is loaded, and once more with its versions before the first case. */
  readonly facts?: SubjectFacts;
  /** A case that begins. */
  readonly begun?: string;
  readonly result?: CaseResult;
  /** Why there is nothing to ask. */
  readonly refused?: Pick<DevflowError, 'message' | 'hint' | 'problems'> & {
    readonly code: ErrorCode;
  };
}

export function sayInto(
  file: string,
): Required<Pick<SuiteOptions, 'onFacts' | 'onCase' | 'onResult'>> {
  return {
    onFacts: (facts) => say(file, { facts }),
    onCase: (begun) => say(file, { begun }),
    onResult: (result) => say(file, { result }),
  };
}

export function sayRefused(file: string, { code, message, hint, problems }: DevflowError): void {
  say(file, { refused: { code, message, hint, problems } });
}

function say(file: string, said: Said): void {
  appendFileSync(file, `${JSON.stringify(said)}\n`);
}

/** Nothing where the line was cut short: then what it was to say is missing. */
export function readSaid(line: string): Said {
  try {
    return JSON.parse(line) as Said; // written above
  } catch {
    return {};
  }
}

/** @throws DevflowError what was refused there */
export function throwRefused({ refused }: Said): void {
  if (refused === undefined) return;
  const { code, message, hint, problems } = refused;
  throw new DevflowError(code, message, { hint, problems });
}
