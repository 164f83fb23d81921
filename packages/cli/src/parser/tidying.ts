import type { Command } from 'commander';
import type { CleanFlags } from '../commands/clean.js';
import type { SalvageListFlags, SalvageRestoreFlags } from '../commands/salvage.js';
import { CWD, type Perform, addCommand } from './command.js';

/** Commands that tidy up, and that bring back what was tidied away. */
export function addTidyingCommands(program: Command, perform: Perform): void {
  addClean(program, perform);
  addSalvage(program, perform);
}

function addClean(program: Command, perform: Perform): void {
  addCommand(
    program,
    'clean',
    'Remove what ended runs left, if nothing is lost.\nWhat is not committed, or on no other branch, is kept and named.\nBy --force it is saved and removed.\nProcesses that belong to no attempt are ended.\nWhat is left of runs without a record goes too, where it is safe.',
    [
      'devflow clean --dry-run',
      'devflow clean',
      'devflow clean add-a-flag-3f9a1',
      'devflow clean add-a-flag-3f9a1 --force',
    ],
  )
    .argument(
      '[run...]',
      'Only these, also if they could be resumed; all completed ones if left out.',
    )
    .option('--force', 'Save what would be lost under refs/devflow/salvage, then remove it.')
    .option('--dry-run', 'Only say what would be removed.')
    .option('--json', 'Print what was removed, saved and kept as JSON.')
    .option(...CWD)
    .action((runs: string[], flags: CleanFlags) =>
      perform(async (terminal) =>
        (await import('../commands/clean.js')).cleanUp(runs, flags, terminal),
      ),
    );
}

function addSalvage(program: Command, perform: Perform): void {
  const salvage = addCommand(
    program,
    'salvage',
    'List or restore what `devflow clean --force` saved.\nNothing of it is removed by devflow: `git update-ref -d <ref>` does that.',
    ['devflow salvage list', 'devflow salvage restore add-a-flag-3f9a1'],
  );
  addCommand(salvage, 'list', 'List what was saved, by run and number.', [
    'devflow salvage list',
    'devflow salvage list --json | jq -r ".[].ref"',
  ])
    .option('--json', 'Print the list as JSON.')
    .option(...CWD)
    .action((flags: SalvageListFlags) =>
      perform(async (terminal) =>
        (await import('../commands/salvage.js')).listSalvage(flags, terminal),
      ),
    );
  addCommand(
    salvage,
    'restore',
    'Make a branch of what was saved.\nNo checkout is touched. What was saved stays.',
    [
      'devflow salvage restore add-a-flag-3f9a1',
      'devflow salvage restore add-a-flag-3f9a1 1 --branch mine',
    ],
  )
    .argument('<run>', 'The run that it was saved of.')
    .argument('[number]', 'Which of them; all if left out.')
    .option('--branch <name>', 'Name of the branch; devflow/<run>/salvaged-<number> if left out.')
    .option('--json', 'Print the branches as JSON.')
    .option(...CWD)
    .action((run: string, number: string | undefined, flags: SalvageRestoreFlags) =>
      perform(async (terminal) =>
        (await import('../commands/salvage.js')).restoreSalvage(run, number, flags, terminal),
      ),
    );
}
