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
  return { ...configured, name, phases, variables: { ...variables, ...configured.variables } };
}

/** What `--var name=value` says. @throws DevflowError OPTION_INVALID where nothing asks for it, or something is left without a value */
export function withVariables(
  workflow: WorkflowDefinition,
  given: readonly string[] = [],
): WorkflowDefinition {
  const asked = namesAskedFor(workflow);
  const values = new Map(Object.entries(workflow.variables ?? {}));
  const known = [...new Set([...values.keys(), ...asked])];
  const read = new Map<string, string>();
  for (const word of given) {
    const [, name, value] = /^([^=]+)=(.+)$/s.exec(word) ?? [];
    if (name === undefined || value === undefined)
      throw wrong(`"${word}" is no name=value`, 'Write it as `--var check="npm test"`.');
    if (!known.includes(name))
      throw wrong(`nothing asks for "${name}"; ${suggestion(name, known)}`);
    if (read.has(name)) throw wrong(`"${name}" is given twice`);
    read.set(name, value);
    values.set(name, value);
  }
  const missing = asked.find((name) => !values.has(name));
  if (missing !== undefined && isBuiltIn(workflow))
    throw wrong(
      `the workflow "${workflow.name}" asks for "${missing}"`,
      `Give it: \`--var ${missing}=…\`; docs/workflows.md says what it is.`,
    );
  return given.length === 0 ? workflow : { ...workflow, variables: Object.fromEntries(values) };
}

/** Of a configuration the core says where it is asked for; these are not in any file of the user's. */
function isBuiltIn({ name, phases }: WorkflowDefinition): boolean {
  return Object.values(WORKFLOWS).some((known) => known.name === name && known.phases === phases);
}

function namesAskedFor({ phases }: WorkflowDefinition): string[] {
  const texts = phases.flatMap(({ prompt = '', checks = [] }) => [
    prompt,
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
