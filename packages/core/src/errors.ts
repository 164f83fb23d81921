/** The catalogue of what can go wrong: a stable code and what to do next. The message says what and why. */
export const ERRORS = {
  CONFIG_INVALID: 'Correct the entries named above; `devflow init` writes a commented example.',
  TASK_EMPTY: 'Say what is to be done: `devflow run "add a --verbose flag"`, or use --task-file.',
  OPTION_INVALID: 'See `devflow <command> --help`.',
  NOT_A_REPOSITORY: 'Change into a git repository, or make one: `git init`.',
  BARE_REPOSITORY: 'Run devflow in a clone of it that has a working tree.',
  NO_COMMITS: 'Commit once (`git commit --allow-empty -m "Start"`): a run starts from a commit.',
  BASE_NOT_FOUND: 'Name a branch, tag or commit that exists here; `git fetch` may bring it.',
  GIT_FAILED: 'Read what git said above; nothing of the run was removed.',
  GIT_NOT_FOUND: 'Install git 2.34 or later and see that it is in the PATH.',
  REPOSITORY_UNSUPPORTED: 'Use a repository without these extensions.',
  PLATFORM_UNSUPPORTED: 'Run devflow on Linux (WSL 2 counts): it supervises agents through /proc.',
  ENVIRONMENT_INCOMPLETE: 'Pass the environment with at least HOME and PATH.',
  RUN_NOT_FOUND: '`devflow list` shows the runs of this repository.',
  RUN_AMBIGUOUS: 'Name the run; `devflow list` shows them.',
  RUN_EXISTS: 'Go on with it by `devflow resume <run>`, or choose another --name.',
  RUN_FINISHED: 'Start a new run for more work; `devflow status <run>` shows this one.',
  RUN_NOT_DUE:
    '`devflow status <run>` says what it waits for; `devflow resume <run>` tries at once.',
  RUN_HELD:
    'It is under way: watch it with `devflow attach <run>`, or end it with `devflow stop <run>`.',
  RUN_INTERRUPTED:
    '`devflow resume <run>` picks it up: it follows an agent that still works, or judges what it left.',
  GATE_NOT_OPEN: '`devflow gates` shows those that wait for an answer.',
  GATE_ANSWER_INVALID: '`devflow gates <run>` shows what can be answered.',
  GATE_UNANSWERED: 'See what that process does: `devflow status <run>`; the answer was taken back.',
  OWN_RUN:
    'Answer from a terminal outside of the run: nothing that is part of it decides at its gates.',
  LOCK_FOREIGN:
    'Resume it on that host, or remove the lock file by hand if you know that its holder is dead.',
  LOCK_LOST: 'Another devflow took the run over; see `devflow status <run>`.',
  LOCK_TIMEOUT: 'See which process holds it and end that one.',
  JOURNAL_CORRUPT:
    'The file is untouched. Restore it from a backup, or remove the named line by hand.',
  JOURNAL_NEWER: 'Use the devflow version that wrote it, or a later one.',
  STATE_UNREADABLE: 'See that the path exists and belongs to you.',
  STATE_UNWRITABLE: 'See that the path is writable and that the disk has room.',
  STATE_GONE:
    'Put it back from a backup, or start a new run: what the agent did is kept on its branch.',
  SYSTEM_LIMIT: 'Raise the limit that is named, or end other programs, then do it again.',
  HOOK_MISSING: 'Define it under `hooks` in the configuration, or pass it to run and resume.',
  CODE_CHANGED: 'Look at the change, then `devflow resume <run> --accept-code`.',
  ADAPTER_UNKNOWN: '`devflow adapters` lists those that are known here.',
  ADAPTER_INVALID: 'Correct what is named above; docs/adapters.md says what an adapter is.',
  ADAPTER_UNCONFIRMED:
    'Read it: it will be run as you. Then confirm it: `devflow adapters --accept <name>`.',
  SANDBOX_UNSUPPORTED:
    'There are `none` and `own` (of the agent): say one in the configuration, or by --sandbox.',
  LEFTOVER_PROCESSES: 'End the named processes by hand, then `devflow resume <run>`.',
  ATTEMPT_UNCLAIMED: 'See that the state directory is writable and that /bin/sh works.',
  FILE_EXISTS: 'devflow never overwrites: move the file away, or keep it.',
  SALVAGE_FAILED: 'Nothing was removed. Solve what is named above, or save the files by hand.',
  SALVAGE_NOT_FOUND: '`devflow salvage list` shows what was saved here.',
  BRANCH_EXISTS: 'Choose another name by --branch.',
  STOP_TIMEOUT: 'Its holder did not answer: end that process, then `devflow stop <run>` again.',
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A fault, as people and programs need it: code, what and why, what to do next. */
export class DevflowError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  /** Every single thing that is wrong, where there is more than one. */
  readonly problems: readonly string[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; problems?: readonly string[] } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DevflowError';
    this.code = code;
    this.hint = options.hint ?? ERRORS[code];
    this.problems = options.problems ?? [];
  }
}
