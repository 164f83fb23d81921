import { type Command, Option } from 'commander';
import type { AnswerFlags } from '../commands/answer.js';
import type { GatesFlags } from '../commands/gates.js';
import { EXIT_HELP } from '../exit-codes.js';
import { CWD, DETACH, QUIET, type Perform, WAIT, addCommand } from './command.js';

/** Commands by which a person decides. */
export function addDecidingCommands(program: Command, perform: Perform): void {
  addGates(program, perform);
  const answering = [
    {
      decision: 'approve',
      about:
        'Let a run go on that waits for a person.\nAt a failed preflight: once, although it found problems.',
      examples: ['devflow approve', 'devflow approve add-a-flag-3f9a1 --note "Use the other one"'],
    },
    {
      decision: 'reject',
      about:
        'Send a run back that waits for a person.\nThe note reaches the prompt of the phase that it goes back to.',
      examples: [
        'devflow reject --note "It does not build on Windows"',
        'devflow reject add-a-flag-3f9a1 --to plan --note "Keep the old flag"',
      ],
    },
    {
      decision: 'abort',
      about:
        'End a run that waits for a person.\nWhat was done is kept; `devflow resume` asks again.',
      examples: ['devflow abort', 'devflow abort add-a-flag-3f9a1 --note "Not needed"'],
    },
  ] as const;
  for (const { decision, about, examples } of answering) {
    const command = addCommand(program, decision, about, examples)
      .argument('[run]', 'The run; the only one that waits for a person if left out.')
      .option('--note <text>', NOTES[decision])
      .option('--gate <id>', 'Only if this is the gate that is open.');
    if (decision === 'reject')
      command.option('--to <phase>', 'Where it goes back to, by number or name.');
    if (decision !== 'abort') addGoingOn(command);
    command
      .option('--json', 'Print run events as JSON, one a line; the last one is the result.')
      .option(...QUIET)
      .option(...CWD)
      .addHelpText(
        'after',
        `\n${EXIT_HELP}\n\nWhere another devflow holds the run that one goes on, and this exits with 0.`,
      )
      .action((run: string | undefined, flags: AnswerFlags) =>
        perform(async (terminal) =>
          (await import('../commands/answer.js')).answer(decision, run, flags, terminal),
        ),
      );
  }
}

const NOTES = {
  approve: 'Reaches the prompt of the next attempt.',
  reject: 'What is to be mended; must be said.',
  abort: 'Why; kept in the journal.',
} as const;

function addGoingOn(command: Command): void {
  command
    .option(...WAIT)
    .option(
      '--accept-code',
      'Go on although hooks or local adapters have changed since the run began.',
    )
    .option(...DETACH)
    .addOption(
      new Option(
        '--no-run',
        'Only record the answer: `devflow resume --due` goes on then.',
      ).conflicts(['detach', 'wait', 'acceptCode']),
    );
}

function addGates(program: Command, perform: Perform): void {
  addCommand(program, 'gates', 'Show what persons are asked, and all that is needed to decide.', [
    'devflow gates',
    'devflow gates add-a-flag-3f9a1',
    'devflow gates --json | jq -r ".[].run"',
  ])
    .argument('[run]', 'The run; all that wait for a person if left out.')
    .option('--json', 'Print a list of them as JSON.')
    .option(...CWD)
    .action((run: string | undefined, flags: GatesFlags) =>
      perform(async (terminal) =>
        (await import('../commands/gates.js')).showGates(run, flags, terminal),
      ),
    );
}
