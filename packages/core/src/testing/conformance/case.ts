/**
 * PASS: the contract held. FAIL: it was broken. UNSUPPORTED: the subject does not claim what the case needs.
 * SKIP: the case does not apply on this platform. ERROR: no verdict was reached.
 */
export type Verdict = (typeof VERDICTS)[number];
export const VERDICTS = ['PASS', 'FAIL', 'UNSUPPORTED', 'SKIP', 'ERROR'] as const;

export interface Finding {
  readonly verdict: Verdict;
  /** One sentence, or for FAIL every way in which the contract was broken. */
  readonly summary: string;
}

export interface ConformanceCase<Subject> {
  /** Lower-case words with hyphens; the case is rerun by it. */
  readonly name: string;
  /** How long it may take; 30 s where it is left out. */
  readonly deadlineMs?: number;
  /** Why the case cannot be asked of this subject: what it does not claim. */
  readonly unsupported?: (subject: Subject) => string | undefined;
  readonly run: (context: CaseContext<Subject>) => Promise<Finding> | Finding;
}

export interface CaseContext<Subject> {
  readonly subject: Subject;
  /** The case's own, empty at first, removed afterwards; processes that still work in it are ended. */
  readonly directory: string;
  /** Set off at the deadline. */
  readonly signal: AbortSignal;
  /** Notes what was observed; it is in the report whatever the verdict. */
  readonly observe: (evidence: string) => void;
  /** What has to be done afterwards, also where the case fails, throws or hangs; the last one first. */
  readonly onCleanup: (cleanup: () => Promise<void> | void) => void;
}

export function fail(summary: string): Finding {
  return { verdict: 'FAIL', summary };
}

export function skip(summary: string): Finding {
  return { verdict: 'SKIP', summary };
}

/** PASS where nothing was broken. @param broken each a sentence; undefined ones held @param held what held */
export function judged(broken: readonly (string | undefined)[], held: string): Finding {
  const said = broken.filter((sentence) => sentence !== undefined);
  return said.length === 0 ? { verdict: 'PASS', summary: held } : fail(said.join('; '));
}
