import type { z } from 'zod';
import { LOOPS } from './loop.js';
import { notify as notifySchema } from './schema-notify.js';
import { phase as phaseSchema } from './schema-phase.js';
import { type WorkflowDefinition, workflowSchema } from './schema.js';

/** What is left of a definition whose shape is wrong, so that what is wrong besides is told at once. */
interface Judgeable {
  readonly definition: WorkflowDefinition;
  /** May a problem that was found in it be told? Some come of what was left out. */
  readonly isSound: (problem: string) => boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Of a phase with a wrong shape no more than these are looked at: what is said of them does not hang on its other keys. */
const BY_THEMSELVES = ['id', 'name', 'prompt', 'promptFile', 'answer', 'when', ...LOOPS] as const;

export function judgeable(given: unknown): Judgeable {
  const fields = asFields(given);
  const { variables = {}, phases, notify, ...more } = fields;
  const right = rightKeys(more, workflowSchema.shape);
  // What is left out of the defaults may be what a phase would be judged by.
  const hasDefaults = !('defaults' in more) || 'defaults' in right;
  const rests = asList(phases).map((phase, index) => restOf(phase, index, hasDefaults));
  const ids = rests.map(({ id }, index) => id ?? lastOf(rests.slice(0, index)));
  const definition = {
    ...right,
    variables: Object.fromEntries(Object.keys(asFields(variables)).map((name) => [name, ''])),
    notify: asList(notify).map((channel) => parsed(notifySchema.element, channel) ?? 'desktop'),
    phases: rests.map(({ phase }, index) => ({ ...phase, id: ids[index] })),
  } as WorkflowDefinition; // each part is what its schema gave, or what stands in for it
  // Where a name is not known, it may be the one that others mean.
  const isNamed =
    asFields(variables) === variables &&
    asList(phases).every((phase) => typeof asFields(phase)['name'] === 'string');
  return {
    definition,
    isSound: (problem) =>
      (isNamed || !/^phases\[\d+\]\.(prompt|checks|when|on\w+\.goto)\b/.test(problem)) &&
      rests.every(({ isSound }) => isSound(problem)),
  };
}

/** A phase, or what stands in for it. */
function restOf(given: unknown, index: number, hasDefaults: boolean) {
  const whole = hasDefaults ? parsed(phaseSchema, given) : undefined;
  if (whole !== undefined) return { phase: whole, id: whole.id, isSound: () => true };
  const fields = asFields(given);
  const right = rightKeys(fields, phaseSchema.shape);
  const kept = BY_THEMSELVES.filter((key) => key in right);
  const phase = {
    name: typeof fields['name'] === 'string' ? fields['name'] : '',
    ...Object.fromEntries(kept.map((key) => [key, right[key]])),
    handOver: right['handOver'] ?? { artifacts: [] }, // there may be some
  };
  const at = `phases[${index}]`;
  const told = kept.map((key) => `${at}.${key}${key.startsWith('on') ? '.goto' : ''}`);
  return {
    phase,
    id: right['id'] as number | undefined, // by its schema
    isSound: (problem: string) =>
      !problem.startsWith(at) || told.some((place) => problem.startsWith(place)),
  };
}

function lastOf(rests: readonly { readonly id: number | undefined }[]): number {
  return rests.findLast(({ id }) => id !== undefined)?.id ?? 0;
}

/** The keys whose values have the right shape, each by itself. */
function rightKeys(fields: Fields, shape: Readonly<Record<string, z.ZodType>>): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => {
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
      const found = schema?.safeParse(value);
      return found?.success === true ? [[key, found.data]] : [];
    }),
  );
}

function parsed<T extends z.ZodType>(schema: T, value: unknown): z.output<T> | undefined {
  return schema.safeParse(value).data;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
