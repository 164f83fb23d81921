import type { Command } from 'commander';
import type { AdaptersFlags } from '../commands/adapters.js';
import type { AttachFlags } from '../commands/attach.js';
import type { ExplainFlags } from '../commands/explain.js';
import type { DoctorFlags } from '../commands/doctor.js';
import type { LimitsFlags } from '../commands/limits.js';
import type { ListFlags } from '../commands/list.js';
import type { LogsFlags } from '../commands/logs.js';
import type { PreflightFlags } from '../commands/preflight.js';
import type { PromptFlags } from '../commands/prompt.js';
import type { StatusFlags } from '../commands/status.js';
import { EXIT_HELP } from '../exit-codes.js';
import {
  AGAINST,
  AGENT,
  BASE,
  CWD,
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
  addCommand,
} from './command.js';

/** Commands that show something. */
export function addLookingCommands(program: Command, perform: Perform): void {
  addStatus(program, perform);
  addExplain(program, perform);
  addAttach(program, perform);
  addList(program, perform);
  addLogs(program, perform);
  addPrompt(program, perform);
  addDoctor(program, perform);
  addPreflight(program, perform);
  addAdapters(program, perform);
  addLimits(program, perform);
}

function addStatus(program: Command, perform: Perform): void {
  addCommand(program, 'status', 'Show what a run is doing, or what it came to.', [
    'devflow status',
    'devflow status add-a-flag-3f9a1 --json',
  ])
    .argument('[run]', 'The run; those under way, or the last one, if left out.')
    .option('--json', 'Print it as JSON: one run, or a list of runs if none is named.')
    .option(...CWD)
    .action((run: string | undefined, flags: StatusFlags) =>
      perform(async (terminal) =>
        (await import('../commands/status.js')).showStatus(run, flags, terminal),
      ),
    );
}

function addExplain(program: Command, perform: Perform): void {
  addCommand(
    program,
    'explain',
    'Say why a phase is complete or is not, and what would change it.\nBy the evidence that was recorded.',
    ['devflow explain', 'devflow explain add-a-flag-3f9a1 --phase code', 'devflow explain --json'],
  )
    .argument('[run]', 'The run; the one under way, or the last one, if left out.')
    .option('--phase <phase>', 'This phase only, by number or name.')
    .option('--json', 'Print it as JSON.')
    .option(...CWD)
    .action((run: string | undefined, flags: ExplainFlags) =>
      perform(async (terminal) =>
        (await import('../commands/explain.js')).showExplanation(run, flags, terminal),
      ),
    );
}

function addAttach(program: Command, perform: Perform): void {
  addCommand(
    program,
    'attach',
    'Watch a run that another devflow holds.\nShows it as that one would, to its report. Only looks: Ctrl-C leaves, and the run goes on.',
    ['devflow attach', 'devflow attach add-a-flag-3f9a1', 'devflow attach --json | jq -r .type'],
  )
    .argument('[run]', 'The run; the one under way, or the last one, if left out.')
    .option('--json', 'Print run events as JSON, one a line; the last one is the result.')
    .option(...QUIET)
    .option(...CWD)
    .addHelpText(
      'after',
      `\n${EXIT_HELP}\n\nExits as the run does, also where it has ended before, and with 1 where its devflow\ndies: \`devflow resume\` picks it up then. Ctrl-C is 130 here, and stops nothing.`,
    )
    .action((run: string | undefined, flags: AttachFlags) =>
      perform(async (terminal) =>
        (await import('../commands/attach.js')).attach(run, flags, terminal),
      ),
    );
}

function addList(program: Command, perform: Perform): void {
  addCommand(program, 'list', 'List the runs of this repository.', [
    'devflow list',
    'devflow list --json | jq -r ".[].id"',
  ])
    .option('--json', 'Print the list as JSON.')
    .option(...CWD)
    .action((flags: ListFlags) =>
      perform(async (terminal) => (await import('../commands/list.js')).list(flags, terminal)),
    );
}

function addLogs(program: Command, perform: Perform): void {
  addCommand(program, 'logs', 'Show what the agents of a run did.', [
    'devflow logs --follow',
    'devflow logs add-a-flag-3f9a1 --phase code',
    'devflow logs --raw > output.log',
  ])
    .argument('[run]', 'The run; the one under way, or the last one, if left out.')
    .option('--phase <phase>', 'Of this phase only, by number or name.')
    .option('--follow', 'Go on until the run ends.')
    .option('--raw', 'Print what the agents printed, as it is.')
    .option(...CWD)
    .action((run: string | undefined, flags: LogsFlags) =>
      perform(async (terminal) => (await import('../commands/logs.js')).logs(run, flags, terminal)),
    );
}

function addPrompt(program: Command, perform: Perform): void {
  addCommand(
    program,
    'prompt',
    'Show what an agent was asked.\nThe whole prompt of an attempt, as it was when it began.',
    [
      'devflow prompt',
      'devflow prompt add-a-flag-3f9a1 --phase code',
      'devflow prompt --phase 2 --attempt 1 > prompt.md',
    ],
  )
    .argument('[run]', 'The run; the one under way, or the last one, if left out.')
    .option('--phase <phase>', 'Of this phase, by number or name; the last that began if left out.')
    .option('--attempt <number>', 'Of this attempt at the phase; the last one if left out.')
    .option('--json', 'Print it as JSON.')
    .option(...CWD)
    .action((run: string | undefined, flags: PromptFlags) =>
      perform(async (terminal) =>
        (await import('../commands/prompt.js')).showPrompt(run, flags, terminal),
      ),
    );
}

function addDoctor(program: Command, perform: Perform): void {
  addCommand(
    program,
    'doctor',
    'Check all that a run needs, and say what to do.\nChanges nothing and spends nothing.\nWho is to be notified gets a message as a probe.\nExits 4 where something stands in the way.',
    ['devflow doctor', 'devflow doctor --agent careful,codex', 'devflow doctor --json'],
  )
    .option(...AGENT)
    .option('--json', 'Print the findings as JSON.')
    .option(...CWD)
    .action((flags: DoctorFlags) =>
      perform(async (terminal) =>
        (await import('../commands/doctor.js')).diagnose(flags, terminal),
      ),
    );
}

function addPreflight(program: Command, perform: Perform): void {
  addCommand(
    program,
    'preflight',
    'Look at what each phase ahead needs.\nAll problems of all phases at once, before a run is started and anything is spent.\nExits 4 where something stands in the way.',
    [
      'devflow preflight',
      'devflow preflight --phase code',
      'devflow preflight --json | jq .phases',
    ],
  )
    .option('--phase <phase>', 'Of this phase only, by number or name.')
    .option(...NAMED_WORKFLOW)
    .option(...VARIABLE)
    .option(...FROM)
    .option(...UNTIL)
    .option(...AGENT)
    .option(...MODEL)
    .option(...EFFORT)
    .option(...BASE)
    .option(...AGAINST)
    .option(...NAME)
    .option(...SANDBOX)
    .option('--json', 'Print the findings as JSON.')
    .option(...CWD)
    .action((flags: PreflightFlags) =>
      perform(async (terminal) =>
        (await import('../commands/preflight.js')).showPreflight(flags, terminal),
      ),
    );
}

function addAdapters(program: Command, perform: Perform): void {
  addCommand(
    program,
    'adapters',
    'List the adapters known here, or confirm your own.\nAn adapter of your own is code that runs as you: each change to it must be confirmed by a person.',
    [
      'devflow adapters',
      'devflow adapters --json | jq -r ".[].name"',
      'devflow adapters --accept mine',
      'devflow adapters --accept ./tools/mine ./tools/other',
    ],
  )
    .option(
      '--accept <name...>',
      'Confirm these as they are now, by name or by path from the configuration.',
    )
    .option('--json', 'Print the list as JSON.')
    .option(...CWD)
    .action((flags: AdaptersFlags) =>
      perform(async (terminal) =>
        (await import('../commands/adapters.js')).adapters(flags, terminal),
      ),
    );
}

function addLimits(program: Command, perform: Perform): void {
  const limits = addCommand(
    program,
    'limits',
    'Show the limits that accounts have reached, or forget them.\nAll your runs on this machine go by them: nobody asks an account before its limit has ended.',
    ['devflow limits', 'devflow limits --json', 'devflow limits clear codex'],
  )
    .option('--json', 'Print the list as JSON.')
    .action((flags: LimitsFlags) =>
      perform(async (terminal) =>
        (await import('../commands/limits.js')).showLimits(flags, terminal),
      ),
    );
  addCommand(limits, 'clear', 'Forget limits: the accounts may be asked again.', [
    'devflow limits clear codex',
    'devflow limits clear --all',
  ])
    .argument('[account]', 'Its key, as `devflow limits` shows it, or the name of an adapter.')
    .option('--all', 'Forget all of them.')
    .option('--json', 'Print what was forgotten as JSON.')
    .action((account: string | undefined, flags: LimitsFlags) =>
      perform(async (terminal) =>
        (await import('../commands/limits.js')).clear(
          account,
          { ...limits.opts<LimitsFlags>(), ...flags },
          terminal,
        ),
      ),
    );
}
