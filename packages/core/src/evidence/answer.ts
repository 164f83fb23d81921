import { type Answer, asAnswer, bare, isMarked, readAnswer } from '../adapter/answer.js';
import { readMarkers } from '../adapter/markers.js';
import type { AgentResult } from '../adapter/index.js';
import { cut } from '../adapter/words.js';
import type { JsonSchema } from './json-schema.js';
import type { Phase } from '../workflow/workflow.js';
import { DATA_DEPTH, isTooDeep } from '../workflow/data.js';

/** How many of the last lines that are not empty may hold the answer: further up it is quoted, not given. */
const ANSWER_LINES = 3;

/** How long an output may be, in characters of its JSON: it is kept in the journal. */
const OUTPUT_LIMIT = 100_000;

/** How much of an agent's plain text is read, from its end, in bytes: the longest output, each character escaped (`\u00e9`), and the rest of its line. */
export const PLAIN_TEXT_BYTES = 10 * OUTPUT_LIMIT;

/** From this length on a line without the mark may be the end of one that has it. */
const CUT_LINE_BYTES = PLAIN_TEXT_BYTES - 10_000;

/** `unreadable`: the agent meant to answer, and its line is none: broken JSON, or a word that is not known. Beside an answer: why its output is left out. */
export interface FoundAnswer {
  readonly answer?: Answer;
  readonly unreadable?: string;
}

/**
 * The answer in an agent's final text: the last one in its last lines; where there is none, what the markers of
 * other tools there say. A line that stands in the prompt is an echo, whatever it says and however it is decorated.
 */
export function findAnswer(finalText: string, prompt: string): FoundAnswer {
  const asked = new Set(prompt.split('\n').map(bare));
  const lines = finalText
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-ANSWER_LINES)
    .filter((line) => !asked.has(bare(line)));
  // The last one counts, also where it cannot be read: then there is no answer, not an earlier one.
  const last = lines.findLast(isMarked);
  if (last === undefined) {
    const { unreadable, ...found } = readMarkers(lines);
    if (unreadable !== undefined) return { unreadable: cut(unreadable, 200) };
    const long = lines.findLast((line) => Buffer.byteLength(line) >= CUT_LINE_BYTES);
    return found.answer !== undefined || long === undefined ? found : { unreadable: whyLong(long) };
  }
  const answer = readAnswer(last);
  return answer === undefined ? { unreadable: cut(last, 200) } : { answer };
}

function whyLong(line: string): string {
  return `its last lines have one of ${line.length} characters without "DEVFLOW_RESULT:" at its beginning; of plain text the last ${PLAIN_TEXT_BYTES / 1e6} MB are read, and what is before them is cut off: give a shorter answer (…${line.slice(-60)})`;
}

/** The answer in an agent's structured output. */
function structuredAnswer({ structuredOutput }: AgentResult): FoundAnswer {
  if (structuredOutput === undefined) return {};
  const answer = asAnswer(structuredOutput);
  return answer === undefined
    ? { unreadable: cut(JSON.stringify(structuredOutput) ?? '', 200) }
    : { answer };
}

/** The answer of an attempt, in the way that its phase asks for. An output that it does not ask for is nobody's: nothing validates it. */
export function answerOf(
  { answerBy, answer: asked }: Pick<Phase, 'answerBy' | 'answer'>,
  result: AgentResult,
  prompt: string,
): FoundAnswer {
  const found =
    answerBy === 'schema' ? structuredAnswer(result) : findAnswer(result.finalText ?? '', prompt);
  if (found.answer === undefined) return found;
  const { output, ...answer } = found.answer;
  if (output === undefined || asked === undefined) return { answer };
  const unreadable = whyNotKept(output);
  return unreadable === undefined ? found : { answer, unreadable };
}

/** Why an output cannot be kept as JSON as it was given. */
function whyNotKept(output: unknown): string | undefined {
  if (isTooDeep(output)) return `its output is nested more than ${DATA_DEPTH} deep`;
  let tooLarge: string | undefined;
  const { length } = JSON.stringify(output, (key, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) tooLarge ??= key;
    return value;
  });
  if (length > OUTPUT_LIMIT) return `its output is longer than ${OUTPUT_LIMIT} characters`;
  if (tooLarge === undefined) return undefined;
  const at = tooLarge === '' ? '' : ` ("${cut(tooLarge, 100)}")`;
  return `its output has a number that is too large to be kept${at}`;
}

/** Does the phase ask for a verdict? */
export function judges({ requires }: Pick<Phase, 'requires'>): boolean {
  return requires.includes('verdict');
}

/**
 * JSON Schema of the answer, for agents with structured output. Every property is required and no other is
 * allowed: the strict form, which some model APIs demand.
 */
export function answerSchema(phase: Pick<Phase, 'requires' | 'answer'>): Record<string, unknown> {
  const properties = {
    status: { type: 'string', enum: ['success', 'failed', 'declined'] },
    ...(judges(phase) && { verdict: { type: 'string', enum: ['pass', 'gaps'] } }),
    summary: { type: 'string', description: 'What was done.' },
    reason: { type: 'string', description: 'Why, if it is no success or has gaps; else empty.' },
    ...(phase.answer !== undefined && { output: within(phase.answer) }),
  };
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...definitionsOf(phase.answer),
  };
}

/** Where the definitions of a schema are kept; references to them are the same in every schema around it. */
const DEFINITIONS = ['$defs', 'definitions'] as const;

function definitionsOf(schema: JsonSchema | undefined): JsonSchema {
  if (schema === undefined) return {};
  const entries = DEFINITIONS.flatMap((key) =>
    key in schema ? [[key, schema[key]] as const] : [],
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, withReferences(inner)]));
}

/** A schema as part of the answer's: what it says of itself by path is somewhere else there. */
function within(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(
    ([key]) => key !== '$schema' && !DEFINITIONS.some((name) => name === key),
  );
  return withReferences(Object.fromEntries(entries)) as JsonSchema; // an object stays one
}

function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      if (key === 'const' || key === 'enum') return [key, inner];
      if (key !== '$ref' || typeof inner !== 'string') return [key, withReferences(inner)];
      const isElsewhere = inner === '#' || /^#\/(?!\$defs\/|definitions\/)/.test(inner);
      return [key, isElsewhere ? `#/properties/output${inner.slice(1)}` : inner];
    }),
  );
}
