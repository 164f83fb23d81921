import { suggestion } from '../adapter/index.js';
import { asFields, asList } from './judgeable.js';
import { pathText } from './problems.js';

/** What a workflow can refer to beside itself; a list that is left out is not known here. */
export interface KnownNames {
  readonly hooks?: readonly string[];
  readonly adapters?: readonly string[];
  /** Of one that is not among those: is there such an adapter all the same? */
  readonly isAdapter?: (name: string) => Promise<boolean>;
}

/** Names in a definition, of whatever shape, that stand for nothing. */
export async function unknownNames(definition: unknown, known: KnownNames): Promise<string[]> {
  return [...(await unknownAgents(definition, known)), ...unknownHooks(definition, known)];
}

interface Named {
  readonly where: string;
  readonly name: string;
}

async function unknownAgents(
  definition: unknown,
  { adapters, isAdapter }: KnownNames,
): Promise<string[]> {
  if (adapters === undefined) return [];
  const profiles = asFields(asFields(definition)['profiles']);
  const isKnown = async (name: string) =>
    adapters.includes(name) || (await isAdapter?.(name)) === true;
  const problems = await Promise.all(
    agentsNamed(definition).map(async ({ where, name }) => {
      if (!Object.hasOwn(profiles, name)) {
        const all = [...Object.keys(profiles), ...adapters];
        if (await isKnown(name)) return [];
        return [`${where}: unknown profile or adapter "${name}"; ${suggestion(name, all)}`];
      }
      const { adapter } = asFields(profiles[name]);
      if (typeof adapter !== 'string' || (await isKnown(adapter))) return [];
      const at = pathText(['profiles', name, 'adapter']);
      return [`${at}: unknown adapter "${adapter}"; ${suggestion(adapter, adapters)}`];
    }),
  );
  return [...new Set(problems.flat())];
}

/** Those that are asked: the default ones where a phase names none. */
function agentsNamed(definition: unknown): Named[] {
  const { defaults, phases } = asFields(definition);
  const agents = asList(phases).map((phase) => asFields(phase)['agent']);
  const places = agents.map(
    (agent, index) => [pathText(['phases', index, 'agent']), agent] as const,
  );
  if (agents.includes(undefined)) places.unshift(['defaults.agent', asFields(defaults)['agent']]);
  return places.flatMap(([where, agent]) =>
    (Array.isArray(agent) ? agent : [agent]).flatMap((name: unknown) =>
      typeof name === 'string' && name !== '' ? [{ where, name }] : [],
    ),
  );
}

function unknownHooks(definition: unknown, { hooks }: KnownNames): string[] {
  if (hooks === undefined) return [];
  const items = asList(asFields(definition)['phases']).flatMap((given) => {
    const { preflight, when } = asFields(given);
    return [...asList(preflight), when].map((item) => asFields(item)['hook']);
  });
  const names = items.filter((name): name is string => typeof name === 'string' && name !== '');
  return hookProblems([...new Set(names)], hooks);
}

/** Of these hooks the ones that nobody gave. */
export function hookProblems(names: readonly string[], given: readonly string[]): string[] {
  return names
    .filter((name) => !given.includes(name))
    .map((name) => `hook "${name}" is not defined; ${suggestion(name, given)}`);
}
