import { type Command, CommanderError } from 'commander';
import { DevflowError } from '@devflow/core/errors';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { buildProgram } from './program.js';

/** Does what the command line says. @throws DevflowError OPTION_INVALID with the nearest word that is known */
export async function parse(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const built = buildProgram(terminal);
  try {
    await built.program.parseAsync(askedFor(args, built.program), { from: 'user' });
    return built.result();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.completed; // help was asked for
    if (error.code === 'commander.help') return EXIT.usage; // no command was given: help was shown
    throw usageError(error, built.program);
  }
}

/** `help` for a word that is no command is refused as the word itself is: commander would show the help of all. */
function askedFor(args: readonly string[], program: Command): readonly string[] {
  const [first, word] = args;
  if (first !== 'help' || word === undefined || word.startsWith('-')) return args;
  const known = program.commands.some((command) => command.name() === word) || word === 'help';
  return known ? args : [word];
}

function usageError({ message, code }: CommanderError, program: Command): DevflowError {
  const [first = '', ...more] = message.replace(/^error: /, '').split('\n');
  const suggestion = more.join(' ').trim();
  const words = suggestion === '' ? first : `${first} ${suggestion}`;
  const task = code === 'commander.excessArguments' ? taskWithoutQuotes(program) : undefined;
  if (task === undefined) return new DevflowError('OPTION_INVALID', words);
  return new DevflowError('OPTION_INVALID', words, {
    hint: `Quote a task of several words: \`devflow run "${task}"\`.`,
  });
}

/** The words after `run`, as far as they can be put between quotes as they are. */
function taskWithoutQuotes(program: Command): string | undefined {
  const run = program.commands.find((command) => command.name() === 'run');
  if (run === undefined || run.args.length < 2) return undefined; // another command
  const task = run.args.join(' ');
  return /["$`\\!\n]/.test(task) ? '…' : task;
}
