import type { Attempt } from './state/fold.js';
import type { Reason } from './state/records.js';
import { formatDuration } from './workflow/units.js';
import type { Phase } from './workflow/workflow.js';

type Ended = NonNullable<Attempt['ended']>;

/** What would have made an attempt complete, a sentence for each kind of evidence that does not say yes. Pure. */
export function mends(phase: Phase, ended: Ended, branch: string): string[] {
  const kinds = new Set(
    ended.reasons.filter(({ says }) => says !== 'yes').map(({ evidence }) => evidence),
  );
  return [...kinds].flatMap((kind) => MENDS[kind](phase, ended, branch));
}

type Mend = (phase: Phase, ended: Ended, branch: string) => string[];

const MENDS: Readonly<Record<Reason['evidence'], Mend>> = {
  process: ofProcess,
  agent: ofAgent,
  answer: ofAnswer,
  git: ofGit,
  protected: ({ protect }) => [`What is protected is as it was: ${protect.join(', ')}.`],
  changes: ({ changes }) => [
    ...(changes?.must ?? []).map((pattern) => `A path that matches "${pattern}" changes.`),
    ...(changes?.mustNot ?? []).map((pattern) => `No path that matches "${pattern}" changes.`),
  ],
  files: ({ files }) => (files ?? []).map((file) => `${file} is a file, no link and no directory.`),
  checks: ofChecks,
};

function ofProcess({ timeoutMs, idleTimeoutMs }: Phase, { outcome }: Ended): string[] {
  switch (outcome) {
    case 'timed-out':
      return [`The agent ends within ${formatDuration(timeoutMs)} (timeout).`];
    case 'idle':
      return [`The agent is not silent for ${formatDuration(idleTimeoutMs)} (idleTimeout).`];
    case 'over-budget':
      return ['The agent stays within its budget and its maxOutput, or more is allowed.'];
    case 'not-started':
      return ['The program of the agent can be started: `devflow doctor`.'];
    case 'stopped':
      return ['Nobody stops it.'];
    default:
      return ['The agent ends with exit 0.'];
  }
}

function ofAgent(_: Phase, { outcome, resetsAt }: Ended): string[] {
  if (outcome === 'auth') return ['The agent is logged in: `devflow doctor`.'];
  if (outcome !== 'rate-limited') return ['The agent ends its turn as it ends finished ones.'];
  return [`The limit of the agent has ended${resetsAt === undefined ? '' : `, at ${resetsAt}`}.`];
}

function ofAnswer(phase: Phase, { answer }: Ended): string[] {
  const [status, output, verdict] = [
    'The agent answers "success".',
    'The output of the answer holds by the schema of the phase.',
    'The verdict of the agent is "pass".',
  ];
  const isRight = answer?.status === 'success';
  return [
    ...(!isRight && phase.requires.includes('answer') ? [status] : []),
    ...(phase.answer !== undefined ? [output] : []),
    ...(phase.requires.includes('verdict') && answer?.verdict !== 'pass' ? [verdict] : []),
  ];
}

function ofGit({ mode, requires }: Phase, _: Ended, branch: string): string[] {
  const place = `The branch ${branch} is checked out, and stands on what it stood on.`;
  if (mode === 'review') return [`${place} The review adds nothing to it.`];
  return [
    place,
    ...(requires.includes('commit') ? ['A commit on it changes something.'] : []),
    ...(requires.includes('clean') ? ['Nothing is left uncommitted.'] : []),
  ];
}

function ofChecks({ checks }: Phase, ended: Ended): string[] {
  const failed = ended.checks.filter(({ passed }) => !passed);
  const names = (failed.length > 0 ? failed : checks).map(({ name }) => `"${name}"`);
  return [`These checks pass: ${names.join(', ')}.`];
}
