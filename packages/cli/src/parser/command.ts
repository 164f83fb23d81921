import type { Command } from 'commander';
import type { ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

/** Runs what a command loads only now: the parser must not cost what `--help` does not need. */
export type Perform = (action: (terminal: Terminal) => Promise<ExitCode>) => Promise<void>;

/** A command that is found by \`devflow <name>\`, with examples in its help. */
export function addCommand(
  program: Command,
  signature: string,
  description: string,
  examples: readonly string[],
): Command {
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return program
    .command(signature)
    .summary(description.split('\n')[0] ?? description)
    .description(description)
    .helpOption('-h, --help', 'Print this help.')
    .allowExcessArguments(false)
    .addHelpText('after', `\nExamples:\n${lines}`);
}

export const AGENT = [
  '--agent <names>',
  'Use this profile or adapter for every phase; or several, by comma: the next one where one cannot go on.',
] as const;

export const WORKFLOW = '--workflow <name>';

export const NAMED_WORKFLOW = [
  WORKFLOW,
  'Do the phases of this one in place of those configured: standard, review, fix or loop.',
] as const;

export const VARIABLE = [
  '--var <name=value>',
  'Value of a variable of the workflow; may be given several times.',
] as const;

export const DETACH = [
  '--detach',
  'Give back the prompt once the run is under way; it waits for a reset by itself.',
] as const;

export const BUDGET = [
  '--budget <limits>',
  'What the run may spend in all: `usd=5,tokens=200000,wallClock=2h`, one or more of them; with `enforce=between-attempts` where an agent states its figures only at the end of a turn (claude, codex).',
] as const;

export const WAIT = [
  '--wait',
  'Stay where the run waits for a limit or a person, and go on then; else exit, with 3 or 4.',
] as const;

export const QUIET = [
  '--quiet',
  'Print the final report only; on stderr also who confines the agent.',
] as const;

export const CWD = ['--cwd <dir>', 'Do as if started in this directory.'] as const;

export const FROM = ['--from <phase>', 'First phase to do, by number or name.'] as const;

export const UNTIL = ['--until <phase>', 'Last phase to do, by number or name.'] as const;

export const MODEL = ['--model <name>', 'Use this model for every phase.'] as const;

export const EFFORT = [
  '--effort <word>',
  'How hard to think, in the words of the agent, in every phase.',
] as const;

export const BASE = [
  '--base <commit>',
  'Branch, tag or commit to start from; HEAD if left out.',
] as const;

export const AGAINST = [
  '--against <commit>',
  'Branch, tag or commit to compare with: reviews are shown what base has that it has not.',
] as const;

export const NAME = [
  '--name <id>',
  'Name of the run and its branch; made from the task if left out.',
] as const;

export const SANDBOX = [
  '--sandbox <provider>',
  'Who confines the agent: `none`, or `own` for its own sandbox.',
] as const;
