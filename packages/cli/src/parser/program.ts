import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { reflow } from '../text/style.js';
import type { Perform } from './command.js';
import { refuseSlips } from './slips.js';
import { addDecidingCommands } from './deciding.js';
import { addLookingCommands } from './looking.js';
import { addProvingCommands } from './proving.js';
import { addTidyingCommands } from './tidying.js';
import { addWorkingCommands } from './working.js';

/** The command line. Loads no command. */
export function buildProgram(terminal: Terminal): { program: Command; result(): ExitCode } {
  let code: ExitCode = EXIT.completed;
  const perform: Perform = async (action) => {
    code = await action(terminal);
  };
  const program = new Command('devflow')
    .description('Hands a task to coding agents and judges from evidence what is done.')
    .usage('<command> [options]')
    .version(version(), '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print help; of a command by `devflow <command> -h`.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .configureHelp({ minWidthToWrap: 20 })
    .exitOverride()
    .configureOutput({
      // What commander does not lay out itself, as the examples, is fitted here.
      writeOut: (text) => terminal.out(reflow(text, helpWidth(terminal.width))),
      writeErr: (text) => terminal.err(reflow(text, helpWidth(terminal.errWidth))),
      outputError: () => undefined, // shown by main, in the form of all errors
      getOutHelpWidth: () => helpWidth(terminal.width),
      getErrHelpWidth: () => helpWidth(terminal.errWidth),
    })
    .addHelpText('after', EXAMPLES);
  addWorkingCommands(program, perform);
  addDecidingCommands(program, perform);
  addLookingCommands(program, perform);
  addTidyingCommands(program, perform);
  addProvingCommands(program, perform);
  refuseSlips(program);
  return { program, result: () => code };
}

/** As in `help.txt` where there is no terminal to ask. */
function helpWidth(columns: number): number {
  return columns === Infinity ? 80 : Math.max(40, Math.min(columns, 100));
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // our own package
}

const EXAMPLES = `
Examples:
  $ devflow doctor                        is everything here that a run needs?
  $ devflow run "Add a --verbose flag"    go through the phases
  $ devflow status                        what is it doing?
  $ devflow resume                        go on after a wait, a crash or Ctrl-C
`;
