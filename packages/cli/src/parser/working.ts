import { type Command, Option } from 'commander';
import type { InitFlags } from '../commands/init.js';
import type { ResumeFlags } from '../commands/resume.js';
import type { RunFlags } from '../commands/run.js';
import type { StopFlags } from '../commands/stop.js';
import { EXIT_HELP } from '../exit-codes.js';
import {
  AGAINST,
  AGENT,
  BASE,
  BUDGET,
  CWD,
  DETACH,
  EFFORT,
  FROM,
  MODEL,
  NAME,
  NAMED_WORKFLOW,
  QUIET,
  type Perform,
  SANDBOX,
  UNTIL,
  VARIABLE,
  WORKFLOW,
  WAIT,
  addCommand,
} from './command.js';

/** Commands that change something. */
export function addWorkingCommands(program: Command, perform: Perform): void {
  addInit(program, perform);
  addRun(program, perform);
  addResume(program, perform);
  addStop(program, perform);
}

function addInit(program: Command, perform: Perform): void {
  addCommand(
    program,
    'init',
    'Write a commented configuration and prompts.\nThey make up a workflow that comes with devflow, to be changed. Never overwrites anything.',
    ['devflow init', 'devflow init --workflow fix', 'devflow init --cwd packages/api'],
  )
    .option(WORKFLOW, 'Which one: standard, review, fix or loop; standard if left out.')
    .option(...CWD)
    .action((flags: InitFlags) =>
      perform(async (terminal) => (await import('../commands/init.js')).init(flags, terminal)),
    );
}

function addRun(program: Command, perform: Perform): void {
  addCommand(
    program,
    'run',
    'Take a task through the phases of the workflow.\nThe work is done in a worktree of its own, on a branch of its own: your checkout is not touched.',
    [
      'devflow run "Add a --verbose flag"',
      'devflow run --task-file task.md --until plan',
      'gh issue view 12 | devflow run -',
      'devflow run "Fix the login" --agent careful,codex',
      'devflow run "The login works by mail" --workflow review --base login --against main',
      'devflow run "The login hangs" --workflow fix --var check="npm test"',
      'devflow run "Fix the login" --dry-run',
      'devflow run "Fix the login" --detach',
      'devflow run "Fix the login" --json | jq -r .type',
    ],
  )
    .argument('[task]', 'What is to be done; `-` reads it from standard input.')
    .option('--task-file <file>', 'Read the task from a file.')
    .option(...NAMED_WORKFLOW)
    .option(...VARIABLE)
    .option(...FROM)
    .option(...UNTIL)
    .option(...AGENT)
    .option(...MODEL)
    .option(...EFFORT)
    .option(...BUDGET)
    .option(...BASE)
    .option(...AGAINST)
    .option(...NAME)
    .option(...SANDBOX)
    .option(...WAIT)
    .addOption(
      new Option(
        '--dry-run',
        'Show each command, prompt and check; start and change nothing.',
      ).conflicts('detach'),
    )
    .option(...DETACH)
    .option('--json', 'Print run events as JSON, one a line; the last one is the result.')
    .option(...QUIET)
    .option(...CWD)
    .addHelpText(
      'after',
      `\n${EXIT_HELP}\n\nCtrl-C asks first; a second one stops the run. Ctrl-\\, or closing the\nterminal, leaves the agent working, watched by nobody: \`devflow resume\` picks it\nup. With --detach the run needs no terminal: \`devflow attach\` shows it.`,
    )
    .action((task: string | undefined, flags: RunFlags) =>
      perform(async (terminal) => (await import('../commands/run.js')).run(task, flags, terminal)),
    );
}

function addResume(program: Command, perform: Perform): void {
  addCommand(
    program,
    'resume',
    'Go on with a run that waits, failed or was cut off.\nFollows an agent that still works; whatever the run was started with still counts.',
    [
      'devflow resume',
      'devflow resume add-a-flag-3f9a1 --wait',
      'devflow resume --due --quiet',
      'devflow resume --detach',
      'devflow resume --accept-code',
      'devflow resume --budget usd=10',
    ],
  )
    .argument('[run]', 'The run; the only unfinished one if left out.')
    .option(
      '--due',
      'Only if a limit that was waited for has ended; all such runs if none is named. For cron and timers.',
    )
    .option(
      '--interrupted',
      'With --due: also those that were cut off, as by a reboot; their agents may have worked on.',
    )
    .option(...WAIT)
    .option(
      '--accept-code',
      'Go on although hooks or local adapters have changed since the run began.',
    )
    .option(...DETACH)
    .option(
      BUDGET[0],
      `${BUDGET[1]} Counted from its beginning; also in place of what its phases may spend, where that is used up.`,
    )
    .option('--json', 'Print run events as JSON, one a line; the last one is the result.')
    .option(...QUIET)
    .option(...CWD)
    .addHelpText('after', `\n${EXIT_HELP}`)
    .action((run: string | undefined, flags: ResumeFlags) =>
      perform(async (terminal) =>
        flags.due === true || flags.interrupted === true
          ? (await import('../commands/resume-due.js')).resumeDue(run, flags, terminal)
          : (await import('../commands/resume.js')).resumeRun(run, flags, terminal),
      ),
    );
}

function addStop(program: Command, perform: Perform): void {
  addCommand(
    program,
    'stop',
    'Stop a run and end all of its processes.\nWhat it did stays in its worktree and on its branch.',
    ['devflow stop', 'devflow stop add-a-flag-3f9a1'],
  )
    .argument('[run]', 'The run; the only unfinished one if left out.')
    .option('--json', 'Print the run as JSON.')
    .option(...CWD)
    .action((run: string | undefined, flags: StopFlags) =>
      perform(async (terminal) =>
        (await import('../commands/stop.js')).stopRun(run, flags, terminal),
      ),
    );
}
