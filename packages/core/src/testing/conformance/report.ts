import { readFileSync } from 'node:fs';
import os from 'node:os';
import { type Verdict, VERDICTS } from './case.js';

export interface CaseResult {
  readonly name: string;
  readonly verdict: Verdict;
  readonly summary: string;
  /** What was observed, in the order in which it was. */
  readonly evidence: readonly string[];
  readonly durationMs: number;
}

export interface ConformanceReport {
  readonly suite: string;
  /** Name of what was tested. */
  readonly subject: string;
  /** As the subject declares them. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Operating system, its release and the processor, e.g. `linux 6.8.0 x64`. */
  readonly platform: string;
  /** Name of a program or package to its version. */
  readonly versions: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly cases: readonly CaseResult[];
}

/** What a report says of its subject. */
export type SubjectFacts = Pick<ConformanceReport, 'subject' | 'capabilities'> &
  Partial<Pick<ConformanceReport, 'versions'>>;

/** The report of a suite on this machine. */
export function reportOf(
  suite: string,
  { subject, capabilities, versions }: SubjectFacts,
  cases: readonly CaseResult[],
): ConformanceReport {
  return {
    suite,
    subject,
    capabilities,
    platform: `${os.platform()} ${os.release()} ${os.arch()}`,
    versions: { node: process.versions.node, devflow: ownVersion(), ...versions },
    counts: countVerdicts(cases),
    cases,
  };
}

function countVerdicts(cases: readonly CaseResult[]): Record<Verdict, number> {
  const count = (verdict: Verdict) => cases.filter((result) => result.verdict === verdict).length;
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(verdict)])) as Record<
    Verdict,
    number
  >; // every verdict has an entry, by the line above
}

function ownVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // our own package
}

/** 1 where anything failed or came to no verdict, else 0. */
export function exitCodeOfReport({ counts }: Pick<ConformanceReport, 'counts'>): 0 | 1 {
  return counts.FAIL + counts.ERROR > 0 ? 1 : 0;
}

/** What every case that did not pass came to, by its name: `UNSUPPORTED: it offers no wiring`. */
export function notPassed({ cases }: Pick<ConformanceReport, 'cases'>): Record<string, string> {
  const others = cases.filter(({ verdict }) => verdict !== 'PASS');
  return Object.fromEntries(
    others.map(({ name, verdict, summary }) => [name, `${verdict}: ${summary}`]),
  );
}
