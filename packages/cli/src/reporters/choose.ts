import { DevflowError } from '@devflow/core/errors';
import type { Terminal } from '../terminal.js';
import { jsonReporter } from './json.js';
import { plainReporter } from './plain.js';
import { quietReporter } from './quiet.js';
import type { Reporter } from './reporter.js';

export interface ReporterFlags {
  readonly json?: true;
  readonly quiet?: true;
}

/** listr2 is loaded only where it draws. @throws DevflowError OPTION_INVALID */
export async function chooseReporter(
  { json, quiet }: ReporterFlags,
  terminal: Terminal,
): Promise<Reporter> {
  if (json === true && quiet === true)
    throw new DevflowError('OPTION_INVALID', '--json and --quiet exclude each other', {
      hint: 'The last line of --json is the result: `devflow run … --json | tail -1`.',
    });
  if (json === true) return jsonReporter(terminal);
  if (quiet === true) return quietReporter(terminal);
  if (!terminal.interactive) return plainReporter(terminal);
  return (await import('./list.js')).listReporter(terminal);
}
