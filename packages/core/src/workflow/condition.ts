import { runInNewContext } from 'node:vm';
import { type ASTNode, Environment, type ParseError } from '@marcbachmann/cel-js';
import { OUTCOMES } from '../state/records.js';
import { pathText } from './problems.js';
import type { Workflow } from './workflow.js';

/** The expressions of `when`, in CEL: it reads what it is given, and reaches nothing else. */

/** What an expression can ask of a run: see {@link environmentOf} for the types. */
export type ConditionFacts = Readonly<Record<string, unknown>>;

type Names = Pick<Workflow, 'phases' | 'variables'>;
type Place = ParseError['range'];

/** An expression is a line or two. Parsing costs time by its size, and is under no other limit. */
const LIMITS = { maxAstNodes: 500, maxDepth: 30 };
/** A pattern of `matches`, or loops in loops over what an agent said, could go on for ever; most take less than 1 ms. */
const TIME_LIMIT_MS = 1_000;

/** The words that stand for what a phase came to. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  outcome: [...OUTCOMES, 'skipped', 'not-run'],
  verdict: ['pass', 'gaps', 'none'],
};

function environmentOf({ phases, variables }: Names): Environment {
  const ofPhase = { outcome: 'string', verdict: 'string', summary: 'string', output: 'dyn' };
  const ofRun = { id: 'string', branch: 'string', base: 'string', attempts: 'int' };
  const each = (names: readonly string[], value: unknown) =>
    Object.fromEntries(names.map((name) => [name, value]));
  const schemas = {
    run: ofRun,
    vars: each(Object.keys(variables), 'string'),
    phases: each(
      phases.map(({ name }) => name),
      ofPhase,
    ),
  };
  const environment = new Environment({ limits: LIMITS }).registerVariable('task', 'string');
  for (const [name, schema] of Object.entries(schemas))
    environment.registerVariable({ name, schema: schema as Record<string, string> });
  return environment;
}

/** What is wrong with the expressions of a workflow, each with its place. */
export function conditionProblems(workflow: Names): string[] {
  const environment = environmentOf(workflow);
  return workflow.phases.flatMap(({ when }, index) => {
    if (typeof when !== 'string') return [];
    const where = `${pathText(['phases', index])}.when`;
    return wrongIn(environment, when, workflow).map((problem) => `${where}: ${problem}`);
  });
}

function wrongIn(environment: Environment, expression: string, workflow: Names): string[] {
  try {
    const parsed = environment.parse(expression);
    const { valid, type = '', error } = parsed.check();
    if (!valid) return [`${told(error)}; ${known(workflow)}`];
    if (type !== 'bool' && type !== 'dyn')
      return [`expected what is true or false, found a value of type ${type.replace('$', '')}`];
    return wrongWords(parsed.ast, workflow);
  } catch (error) {
    return [`${told(error)}; ${known(workflow)}`];
  }
}

function told(error: unknown): string {
  const { summary, message, range } = error as Partial<ParseError> & Error;
  return `${summary ?? message}${at(range)}`;
}

function at(range: Place | undefined): string {
  return range === undefined ? '' : ` (at character ${range.start + 1})`;
}

function known({ phases, variables }: Names): string {
  const facts = 'outcome, .verdict, .summary and .output';
  return [
    'known: task, run.id, run.branch, run.base, run.attempts',
    ...Object.keys(variables).map((name) => `vars.${name}`),
    `and of each phase .${facts}: ${[...new Set(phases.map(({ name }) => nameOf(name)))].join(', ')}`,
  ].join(', ');
}

/** A hyphen in a name would be a minus. */
function nameOf(phase: string): string {
  return phase.includes('-') ? `phases["${phase}"]` : `phases.${phase}`;
}

/** Words that the types allow, and that nothing ever is: what compares with them would be false in silence. */
function wrongWords(node: ASTNode, workflow: Names): string[] {
  const parts = partsOf(node);
  const problems = parts.flatMap((part) => wrongWords(part, workflow));
  const phase = fieldOf(node, (base) => base.op === 'id' && base.args === 'phases');
  if (phase !== undefined && !workflow.phases.some(({ name }) => name === phase))
    problems.push(`No such key: ${phase}${at(node)}; ${known(workflow)}`);
  if (!['==', '!=', 'in'].includes(node.op)) return problems;
  const facts = parts.flatMap((part) => fieldOf(part, isPhase) ?? []);
  const values = VALUES[facts[0] ?? ''];
  if (values === undefined) return problems;
  const words = parts.flatMap((part) => (part.op === 'list' ? partsOf(part) : [part]));
  for (const word of words) {
    if (word.op !== 'value' || typeof word.args !== 'string' || values.includes(word.args))
      continue;
    problems.push(`"${word.args}" is no ${facts[0]}${at(word)}; known: ${values.join(', ')}`);
  }
  return problems;
}

function partsOf({ args }: ASTNode): ASTNode[] {
  const all: unknown[] = [args].flat(3); // of a map, pairs
  return all.filter(
    (part): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part,
  );
}

function isPhase(node: ASTNode): boolean {
  return fieldOf(node, (base) => base.op === 'id' && base.args === 'phases') !== undefined;
}

/** The name in `base.name` and `base["name"]`. */
function fieldOf(node: ASTNode, isBase: (base: ASTNode) => boolean): string | undefined {
  if ((node.op !== '.' && node.op !== '[]') || !Array.isArray(node.args)) return undefined;
  const [base, key] = node.args as readonly (ASTNode | string)[];
  if (base === undefined || typeof base === 'string' || !isBase(base)) return undefined;
  if (typeof key === 'string') return key;
  return key?.op === 'value' && typeof key.args === 'string' ? key.args : undefined;
}

/** Is it true? Throws where it cannot be told. */
export function isTrue(expression: string, workflow: Names, facts: ConditionFacts): boolean {
  const evaluate = environmentOf(workflow).parse(expression);
  // Not to confine it, which the language does: V8 ends at the limit whatever is called from there.
  const value: unknown = runInNewContext(
    'evaluate()',
    { evaluate: () => evaluate(facts) },
    { timeout: TIME_LIMIT_MS },
  );
  if (typeof value !== 'boolean') throw new Error('it is neither true nor false');
  return value;
}
