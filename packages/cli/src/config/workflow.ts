import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DevflowError, WORKFLOWS, type WorkflowDefinition } from '@devflow/core';
import { suggestion } from '@devflow/core/adapter';

/** A workflow that comes with devflow. @throws DevflowError OPTION_INVALID */
export function builtInWorkflow(name: string, others: readonly string[] = []): WorkflowDefinition {
  if (Object.hasOwn(WORKFLOWS, name)) return WORKFLOWS[name as keyof typeof WORKFLOWS];
  const known = [...new Set([...Object.keys(WORKFLOWS), ...others])];
  throw new DevflowError(
    'OPTION_INVALID',
    `--workflow: there is no workflow "${name}"; ${suggestion(name, known)}`,
    {
      hint: '`devflow init --workflow <name>` writes one to be changed; docs/workflows.md shows all.',
    },
  );
}

/** Its phases in place of those configured; agents, worktree, budget and all else stay as configured. */
export function namedWorkflow(
  configured: WorkflowDefinition,
  name: string | undefined,
): WorkflowDefinition {
  // A configuration that was made from it, and has kept its name, is the user's own form of it.
  if (name === undefined || name === configured.name) return configured;
  const others = configured.name === undefined ? [] : [configured.name];
  const { phases, variables } = builtInWorkflow(name, others);
  // What is protected by default is so too where a phase names more.
  const { protect: ours = [] } = configured.defaults ?? {};
  return {
    ...configured,
    name,
    phases: phases.map(({ protect, ...phase }) =>
      protect === undefined ? phase : { ...phase, protect: [...protect, ...ours] },
    ),
    variables: { ...variables, ...configured.variables },
  };
}

/** Without phases and a name, settings for the workflow that is used where nothing is said. */
export function withPhases(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  const says = Object.keys(data);
  if (says.length === 0 || says.includes('phases') || says.includes('name')) return data;
  const { name, phases } = WORKFLOWS.standard;
  return { ...data, name, phases };
}

/** A value of blanks says nothing: as a check it would pass always. */
const NAME_AND_VALUE = /^([^=]+)=(.*\S.*)$/s;

/** Data of a configuration with the values that are given for this run, to see whether all is said then. What is wrong with either is told elsewhere. */
export function withGiven(data: unknown, given: readonly string[]): unknown {
  if (given.length === 0 || typeof data !== 'object' || data === null) return data;
  const { variables } = data as { readonly variables?: unknown };
  if (variables !== undefined && (typeof variables !== 'object' || variables === null)) return data;
  const values = given.flatMap((word) => {
    const [, name, value] = NAME_AND_VALUE.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return { ...data, variables: { ...variables, ...Object.fromEntries(values) } };
}

const slotOf = (name: string) => `{{vars.${name}}}`;

/** Data of a configuration whose variables get their values later, by `--var`: until then each stands for itself. */
export function withSlots(data: unknown, dir: string): unknown {
  const given = data as WorkflowDefinition;
  try {
    const slots = namesAskedFor(given, dir).map((name) => [name, slotOf(name)] as const);
    if (slots.length === 0) return data;
    return { ...given, variables: { ...Object.fromEntries(slots), ...given.variables } };
  } catch {
    return data; // it is no definition: what is wrong is told where it is read
  }
}

/** The variables that `--var` must give. */
export function leftForLater({ variables = {} }: WorkflowDefinition): string[] {
  return Object.keys(variables).filter((name) => variables[name] === slotOf(name));
}

/** What `--var name=value` says. @param dir where prompt files start from @throws DevflowError OPTION_INVALID where nothing asks for it, or something is left without a value */
export function withVariables(
  workflow: WorkflowDefinition,
  dir: string,
  given: readonly string[] = [],
): WorkflowDefinition {
  const asked = namesAskedFor(workflow, dir);
  const values = new Map(Object.entries(workflow.variables ?? {}));
  const known = [...new Set([...values.keys(), ...asked])];
  const read = new Map<string, string>();
  for (const word of given) {
    const [, name, value] = NAME_AND_VALUE.exec(word) ?? [];
    if (name === undefined || value === undefined)
      throw wrong(`"${word}" is no name=value`, 'Write it as `--var check="npm test"`.');
    if (!known.includes(name))
      throw wrong(`nothing asks for "${name}"; ${suggestion(name, known)}`);
    if (read.has(name)) throw wrong(`"${name}" is given twice`);
    read.set(name, value);
    values.set(name, value);
  }
  const missing = asked.find((name) => (values.get(name) ?? '').trim() === '');
  if (missing !== undefined && isBuiltIn(workflow))
    throw wrong(
      `the workflow "${workflow.name}" asks for "${missing}"`,
      `Give it: \`--var ${missing}=…\`; docs/workflows.md says what it is.`,
    );
  return given.length === 0 ? workflow : { ...workflow, variables: Object.fromEntries(values) };
}

/** Of a configuration the core says where it is asked for; these are not in any file of the user's. */
function isBuiltIn({ name, phases }: WorkflowDefinition): boolean {
  return Object.values(WORKFLOWS).some(
    (known: WorkflowDefinition) =>
      known.name === name && known.phases.every(({ prompt }, at) => prompt === phases[at]?.prompt),
  );
}

function namesAskedFor({ phases }: WorkflowDefinition, dir: string): string[] {
  const texts = phases.flatMap(({ prompt = '', promptFile, checks = [] }) => [
    promptFile === undefined ? prompt : readFileSync(path.resolve(dir, promptFile), 'utf8'),
    ...checks.flatMap(({ command }) => command),
  ]);
  const found = texts.flatMap((text) => [...text.matchAll(/\{\{\s*vars\.([\w.-]+)\s*\}\}/g)]);
  return [...new Set(found.flatMap(([, name]) => name ?? []))];
}

function wrong(words: string, hint?: string): DevflowError {
  return new DevflowError('OPTION_INVALID', `--var: ${words}`, {
    ...(hint !== undefined && { hint }),
  });
}
