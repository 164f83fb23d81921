import { DevflowError } from '@devflow/core/errors';

/** The agents that `--agent` names, in the order in which they are asked: `careful,codex`. @throws DevflowError OPTION_INVALID */
export function agentsIn(flag: string | undefined): readonly string[] | undefined {
  const names = flag?.split(',').map((name) => name.trim());
  if (names?.includes('') === true)
    throw new DevflowError('OPTION_INVALID', `--agent: a name is missing in "${flag}"`);
  return names;
}
