import { nearest, suggestion } from '../adapter/index.js';

/**
 * Prompt templates: `{{task}}`, `{{phases.plan.summary}}`. One pass: a value is never expanded again
 * and never executed. `\{{` stands for itself.
 */

const SLOT = /\\\{\{|\{\{\s*([A-Za-z][\w.-]*)\s*\}\}/g;

/** The names that a template asks for. */
export function templateNames(template: string): string[] {
  const names = [...template.matchAll(SLOT)].flatMap(([, name]) =>
    name === undefined ? [] : [name],
  );
  return [...new Set(names)];
}

/** The template with its values. Every name must have one: see {@link knownNames}. */
export function renderTemplate(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(SLOT, (slot, name: string | undefined) =>
    name === undefined ? '{{' : (values.get(name) ?? slot),
  );
}

/** Facts of a phase that is over which a later prompt can use. */
export const PHASE_FACTS = [
  'summary', 'text', 'output', 'outcome', 'reasons', 'artifacts', 'events',
] as const; // prettier-ignore

/** All names that a prompt of this workflow may use. */
export function knownNames(workflow: {
  phases: readonly { name: string }[];
  variables: Readonly<Record<string, string>>;
}): string[] {
  return [
    'task',
    'phase.id',
    'phase.name',
    'phase.attempt',
    'run.id',
    'run.branch',
    'run.base',
    'run.since',
    'run.diff',
    ...workflow.phases.flatMap(({ name }) => PHASE_FACTS.map((fact) => `phases.${name}.${fact}`)),
    ...Object.keys(workflow.variables).map((name) => `vars.${name}`),
  ];
}

/** What is wrong with a slot that has no value, and where it would get one. */
export function unknownVariable(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const [, variable] = /^vars\.(.+)$/.exec(name) ?? [];
  const what = `unknown variable {{${name}}}`;
  if (near !== undefined || variable === undefined) return `${what}; ${suggestion(name, known)}`;
  return `${what}; give "${variable}" a value in \`variables\`, which \`--var ${variable}=…\` replaces`;
}

const VARIABLE = /\{\{\s*vars\.([\w.-]+)\s*\}\}/g;

/**
 * The words of a command with the variables of its workflow: what the operator wrote, and nothing that an agent
 * says. Braces that are not about `vars` stand for themselves.
 * @param problems gets the names for which there is no value
 */
export function fillVariables(
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
  problems: string[],
): string[] {
  return words.map((word) =>
    word.replace(VARIABLE, (slot, name: string) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (value === undefined) problems.push(`vars.${name}`);
      return value ?? slot;
    }),
  );
}
