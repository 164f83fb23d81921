import type { RunResult } from '@devflow/core';
import type { ErrorCode } from '@devflow/core/errors';

/** What `devflow` tells the shell. The help of `devflow run` prints this table. */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  preflight: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `Exit codes:
  0    completed
  1    failed, stopped by \`devflow stop\`, or the machine failed (disk, handles, processes)
  2    wrong usage, configuration or place; nothing was started
  3    waiting for a person or for a time
  4    waiting for a person, because a preflight found problems
  130  interrupted at work: Ctrl-C, SIGTERM, or the terminal was closed`;

export function exitCodeOf({ state, waitingFor }: RunResult): ExitCode {
  switch (state) {
    case 'completed':
      return EXIT.completed;
    case 'waiting':
      return waitingFor === 'preflight' ? EXIT.preflight : EXIT.waiting;
    case 'failed':
    case 'stopped':
      return EXIT.failed;
    default:
      return state satisfies never;
  }
}

/** From the best to the worst. */
const RANK: readonly ExitCode[] = [
  EXIT.completed,
  EXIT.waiting,
  EXIT.preflight,
  EXIT.failed,
  EXIT.usage,
  EXIT.interrupted,
];

/** Of several runs; completed where there is none. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return RANK.findLast((code) => codes.includes(code)) ?? EXIT.completed;
}

/** Where something went wrong on the way: after the rest nothing was started, and nothing waits. */
const BY_ERROR: Partial<Record<ErrorCode, ExitCode>> = {
  GIT_FAILED: EXIT.failed,
  LOCK_LOST: EXIT.failed,
  LOCK_TIMEOUT: EXIT.failed,
  JOURNAL_CORRUPT: EXIT.failed,
  JOURNAL_NEWER: EXIT.failed,
  STATE_UNREADABLE: EXIT.failed,
  STATE_UNWRITABLE: EXIT.failed,
  STATE_GONE: EXIT.failed,
  SYSTEM_LIMIT: EXIT.failed,
  LEFTOVER_PROCESSES: EXIT.failed,
  ATTEMPT_UNCLAIMED: EXIT.failed,
  STOP_TIMEOUT: EXIT.failed,
  GATE_UNANSWERED: EXIT.failed,
  RUN_INTERRUPTED: EXIT.failed,
};

export function exitCodeOfError(code: ErrorCode): ExitCode {
  return BY_ERROR[code] ?? EXIT.usage;
}
