import { DevflowError } from '@devflow/core/errors';

/** Options of the command line that stand for the same entry of every phase, or for one of the workflow. */
interface Flags {
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly sandbox?: string;
  readonly budget?: string;
}

/** Names the options of the command line where the library, which has options of its own, could not. */
export function nameOptions(error: unknown, flags: Flags): unknown {
  if (!(error instanceof DevflowError)) return error;
  if (error.code === 'OPTION_INVALID') return nameOption(error);
  return error.code === 'CONFIG_INVALID' ? nameFlags(error, flags) : error;
}

function nameOption({ message, hint, problems, cause }: DevflowError): DevflowError {
  const named = message
    .replace(/^(from|until|budget|against|phase|attempt):/, '--$1:')
    .replace(/^from (\S+) comes after until/, '--from $1 comes after --until')
    .replace(/^(".*" cannot name a run)$/s, '--name: $1');
  return new DevflowError('OPTION_INVALID', named, { hint, problems, cause });
}

/** What an option says counts in place of the configuration's own entry: that is not at fault then. */
function nameFlags(error: DevflowError, flags: Flags): DevflowError {
  const named = error.problems.map((problem) => {
    const [, key, words] =
      /^(?:phases\[\d+\]\.)?(agent|model|effort|sandbox): (.*)$/s.exec(problem) ??
      /^(budget)\.\w+: (.*)$/s.exec(problem) ??
      [];
    return key !== undefined && flags[key as keyof Flags] !== undefined // one of the five, by the patterns
      ? `--${key}: ${words}`
      : undefined;
  });
  const words = [...new Set(named)].filter((text) => text !== undefined);
  if (named.length === 0 || named.includes(undefined)) return error;
  return new DevflowError('OPTION_INVALID', words.join('; '), {
    hint: 'Change the option; `devflow adapters` lists the agents and what each can do.',
    cause: error,
  });
}
