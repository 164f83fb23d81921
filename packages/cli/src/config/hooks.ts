import { DevflowError, type Hook, type Hooks } from '@devflow/core';

/** Splits the code off a configuration: the rest is data. */
export function splitHooks(
  config: unknown,
  file: string,
  isCode: boolean,
): { data: unknown; hooks: Hooks } {
  if (config === undefined || config === null)
    throw invalid(file, ['the configuration: expected an object, found nothing'], isCode);
  if (typeof config !== 'object' || Array.isArray(config) || !('hooks' in config))
    return { data: config, hooks: {} };
  const { hooks, ...data } = config;
  if (!isCode)
    throw invalid(file, ['hooks: code can only stand in a .ts or .js configuration'], isCode);
  if (typeof hooks !== 'object' || hooks === null)
    throw invalid(file, ['hooks: expected an object of functions'], isCode);
  const problems = Object.entries(hooks)
    .filter(([, hook]) => typeof hook !== 'function')
    .map(([name]) => `hooks.${name}: expected a function`);
  if (problems.length > 0) throw invalid(file, problems, isCode);
  // What a function takes and gives back cannot be seen from outside; the core treats it with care.
  return { data, hooks: hooks as Readonly<Record<string, Hook>> };
}

function invalid(file: string, problems: readonly string[], isCode: boolean): DevflowError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const exported = isCode ? ' A configuration in code is its default export.' : '';
  return new DevflowError('CONFIG_INVALID', `${file} has ${count}`, {
    problems,
    hint: `Correct the entries named above; \`devflow init\` writes a commented example.${exported}`,
  });
}
