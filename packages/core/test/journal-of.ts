import type { JournalRecord, Outcome, RecordBody } from '../src/state/records.js';
import type { Phase, Workflow } from '../src/workflow/workflow.js';

type Body<T extends RecordBody['type']> = Extract<RecordBody, { type: T }>;

/** Records as a journal has them, numbered, one second apart. */
export function journalOf(...bodies: readonly RecordBody[]): JournalRecord[] {
  return bodies.map((body, index) => ({
    v: 1,
    seq: index + 1,
    at: new Date(Date.UTC(2030, 0, 1) + index * 1_000).toISOString(),
    ...body,
  }));
}

export const holder = {
  pid: 1,
  startTime: '1',
  bootId: 'boot',
  host: 'host',
  pidNamespace: 'pid:[1]',
};
export const started: RecordBody = { type: 'run-started', holder };
export const resumed: RecordBody = { type: 'run-resumed', holder };

export function entered(
  phase: number,
  more: Partial<Body<'phase-entered'>> = {},
): Body<'phase-entered'> {
  return { type: 'phase-entered', phase, head: `head-of-${phase}`, because: 'it is next', ...more };
}

export function intended(
  phase: number,
  attempt = 1,
  more: Partial<Body<'attempt-intended'>> = {},
): Body<'attempt-intended'> {
  const name = { phase, attempt };
  const where = { directory: `/runs/x/${phase}/${attempt}`, cwd: '/worktrees/x', hiding: '' };
  return { type: 'attempt-intended', ...name, ...where, token: 'token', agent: 'agent', ...more };
}

export function ended(
  phase: number,
  outcome: Outcome,
  attempt = 1,
  more: Partial<Body<'attempt-ended'>> = {},
): Body<'attempt-ended'> {
  return {
    type: 'attempt-ended',
    phase,
    attempt,
    outcome,
    reasons: [
      {
        evidence: outcome === 'rejected' ? 'answer' : 'process',
        says: outcome === 'completed' ? 'yes' : 'no',
        text: `it ${outcome}`,
      },
    ],
    commits: [],
    checks: [],
    durationMs: 1,
    ...more,
  };
}

/** An attempt from its intent to its verdict. */
export function attempted(phase: number, outcome: Outcome, attempt = 1): RecordBody[] {
  return [intended(phase, attempt), ended(phase, outcome, attempt)];
}

export function skipped(
  phase: number,
  more: Partial<Body<'phase-skipped'>> = {},
): Body<'phase-skipped'> {
  const why = { because: 'it is next', reason: 'when: false is false' };
  return { type: 'phase-skipped', phase, head: `head-of-${phase}`, ...why, ...more };
}

export function waiting(more: Partial<Body<'run-waiting'>> = {}): Body<'run-waiting'> {
  return { type: 'run-waiting', for: 'reset', reason: 'a limit', ...more };
}

export function runEnded(
  state: Body<'run-ended'>['state'],
  reason = `it ${state}`,
): Body<'run-ended'> {
  return { type: 'run-ended', state, reason };
}

export function phaseOf(id: number, name: string, more: Partial<Phase> = {}): Phase {
  return {
    id,
    name,
    prompt: 'Do it.',
    agents: ['agent'],
    answerBy: 'marker',
    mode: 'work',
    requires: ['answer', 'commit', 'clean'],
    checks: [],
    checkFrom: 'worktree',
    protect: [],
    preflight: [],
    timeoutMs: 1_000,
    idleTimeoutMs: 1_000,
    maxOutputBytes: 1_000,
    retries: 1,
    retryDelayMs: 0,
    ...more,
  };
}

export function workflowOf(phases: readonly Phase[], more: Partial<Workflow> = {}): Workflow {
  return {
    name: 'test',
    variables: {},
    profiles: {},
    worktree: { copy: [], setup: [], keep: 'unfinished' },
    branchPrefix: 'devflow',
    sandbox: 'none',
    maxAttempts: 20,
    phases,
    ...more,
  };
}
