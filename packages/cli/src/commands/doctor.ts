import { type Finding, doctor } from '@devflow/core/doctor';
import { knownAdapters } from '../adapters.js';
import { loadConfiguration, nameFile } from '../config/load.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { plural } from '../text/style.js';

export interface DoctorFlags {
  readonly json?: true;
  readonly cwd?: string;
}

export async function diagnose(flags: DoctorFlags, terminal: Terminal): Promise<ExitCode> {
  const place = placeOf(flags);
  const configuration = await loadConfiguration(place.cwd);
  const { file, dir, definition } = configuration;
  const config = {
    what: 'configuration',
    found: file ?? 'none: the standard workflow is used',
    problems: [],
    notes: [],
  };
  const looked = await doctor(definition, {
    ...place,
    adapters: knownAdapters(),
    workflowDir: dir,
  }).catch((error: unknown) => {
    throw nameFile(error, configuration);
  });
  const findings: Finding[] = [config, ...looked];
  terminal.out(
    flags.json === true ? `${JSON.stringify(findings, undefined, 2)}\n` : text(findings, terminal),
  );
  return findings.some(({ problems }) => problems.length > 0) ? EXIT.preflight : EXIT.completed;
}

function text(findings: readonly Finding[], { style }: Terminal): string {
  const column = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.flatMap(({ what, found, problems, notes }) => [
    `${problems.length === 0 ? style.green('✔') : style.red('✖')} ${what.padEnd(column)}  ${found}`,
    ...problems.flatMap(({ code, message, hint }) => [`    ${message} (${code})`, `    → ${hint}`]),
    ...notes.map((note) => style.dim(`    note: ${note}`)),
  ]);
  const count = findings.reduce((sum, { problems }) => sum + problems.length, 0);
  const sum =
    count === 0
      ? style.green('Nothing stands in the way.')
      : style.red(`${plural(count, 'problem')} to solve.`);
  return `${[...lines, sum].join('\n')}\n`;
}
