import { type Command, Option } from 'commander';
import type { ConformFlags } from '../commands/conform.js';
import { CWD, type Perform, addCommand } from './command.js';

/** Commands that prove something of what devflow works with. */
export function addProvingCommands(program: Command, perform: Perform): void {
  const conform = addCommand(
    program,
    'conform',
    'Prove that an adapter keeps the contract.\nA stub stands in for the agent: no model is asked, and nothing is spent.',
    ['devflow conform adapter claude'],
  );
  // Nothing but adapters is proven: the last word names one.
  conform.on('command:*', (words: string[]) =>
    conform.error(
      `error: unknown command '${words[0]}'\n(Did you mean devflow conform adapter ${words.at(-1)}?)`,
    ),
  );
  addCommand(
    conform,
    'adapter',
    'Ask an adapter all that the contract promises.\nIt is run for that: name only one that you have read. Exits 1 where a case\nfails or comes to no verdict, 2 where the adapter cannot be built.',
    [
      'devflow conform adapter claude',
      'devflow conform adapter ./tools/mine --case interrupted',
      'devflow conform adapter mine --markdown > report.md',
    ],
  )
    .argument('<adapter>', 'A name, as in a profile; or a path such as ./tools/mine.')
    .option('--case <name>', 'This case only.')
    .option('--deadline <seconds>', 'No case may take longer than this.')
    .option('--json', 'Print the report as JSON.')
    .addOption(new Option('--markdown', 'Print it as Markdown.').conflicts('json'))
    .option(...CWD)
    .action((adapter: string, flags: ConformFlags) =>
      perform(async (terminal) =>
        (await import('../commands/conform.js')).conformTheAdapter(adapter, flags, terminal),
      ),
    );
}
