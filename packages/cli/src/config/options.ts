import { DevflowError } from '@devflow/core/errors';

/** Names the options of the command line where the library, which has options of its own, could not. */
export function nameOptions(error: unknown, flags: { readonly agent?: string }): unknown {
  if (!(error instanceof DevflowError)) return error;
  if (error.code === 'OPTION_INVALID') return nameOption(error);
  return error.code === 'CONFIG_INVALID' && flags.agent !== undefined ? nameAgent(error) : error;
}

function nameOption({ message, hint, problems, cause }: DevflowError): DevflowError {
  const named = message
    .replace(/^(from|until):/, '--$1:')
    .replace(/^from (\S+) comes after until/, '--from $1 comes after --until')
    .replace(/^(".*" cannot name a run)$/s, '--name: $1');
  return new DevflowError('OPTION_INVALID', named, { hint, problems, cause });
}

/** With `--agent` every phase has that one: what is wrong with it there is no fault of the configuration. */
function nameAgent(error: DevflowError): DevflowError {
  const said = error.problems.map((problem) => /^phases\[\d+\]\.agent: (.*)$/s.exec(problem)?.[1]);
  const words = [...new Set(said)].filter((text) => text !== undefined);
  if (said.length === 0 || said.includes(undefined)) return error;
  return new DevflowError('OPTION_INVALID', `--agent: ${words.join('; ')}`, {
    hint: 'Name a profile of the configuration, or an adapter: `devflow adapters` lists them.',
    cause: error,
  });
}
