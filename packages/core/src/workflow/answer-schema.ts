import { z } from 'zod';
import { type JsonSchema, schemaProblems } from '../evidence/json-schema.js';
import { DATA_DEPTH, isData } from './data.js';

/**
 * The schema of a phase's `answer` as data: a JSON Schema as it is, a zod schema converted.
 * What is wrong with it is added to the problems; it is undefined then.
 */
export function readAnswerSchema(
  given: unknown,
  where: string,
  problems: string[],
): JsonSchema | undefined {
  if (given === undefined) return undefined;
  const found: string[] = [];
  const schema = isZod(given) ? fromZod(given, found) : asData(given, found);
  if (schema !== undefined && found.length === 0) found.push(...schemaProblems(schema));
  problems.push(...found.map((problem) => `${where}${problem}`));
  return found.length === 0 ? schema : undefined;
}

function asData(given: unknown, problems: string[]): JsonSchema | undefined {
  const isSchema = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (isSchema && isData(given)) return copy(given);
  problems.push(
    `: expected a JSON Schema, which is plain data (nested ${DATA_DEPTH} deep at most), or a schema of zod 4`,
  );
  return undefined;
}

/** Of any copy of zod 4: the user's need not be devflow's. */
function isZod(given: unknown): given is z.ZodType {
  return typeof given === 'object' && given !== null && '_zod' in given;
}

const CODE = ': a refinement or a transformation is code; a workflow is data';

/** What is code in it would be lost without a word: it is refused. */
function fromZod(given: z.ZodType, problems: string[]): JsonSchema | undefined {
  try {
    const schema = z.toJSONSchema(given, {
      io: 'input',
      override({ zodSchema, jsonSchema }) {
        if (hasCode(zodSchema) && !problems.includes(CODE)) problems.push(CODE);
        if (jsonSchema.pattern !== undefined) delete jsonSchema.format; // which says the same, in words of zod
      },
    });
    if (isData(schema)) return copy(schema);
    problems.push(`: it is nested more than ${DATA_DEPTH} deep`);
    return undefined;
  } catch (error) {
    problems.push(`: ${(error as Error).message}`);
    return undefined;
  }
}

function hasCode({ _zod }: z.core.$ZodTypes): boolean {
  const { def } = _zod;
  const isCode = (check: string) => check === 'custom' || check === 'overwrite';
  if (def.checks?.some((check) => isCode(check._zod.def.check)) === true) return true;
  if (def.type !== 'pipe') return false;
  return [def.in, def.out].some((side) => side._zod.def.type === 'transform');
}

/** As it will be read from `run.json`; without a name of its own, as it becomes a part of another one. */
function copy(schema: object): JsonSchema {
  const { $id: _, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  return rest;
}
