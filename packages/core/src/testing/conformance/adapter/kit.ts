import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { DevflowError } from '../../../errors.js';
import { readIfThere } from '../../../state/files.js';
import { describeIssues } from '../../../workflow/problems.js';
import type { AdapterKit, Wiring } from './subject.js';
import { runWire } from './wire.js';

/** What a directory may say of its agent, beside its programs. */
const FILE = 'conformance.json';

const texts = z.record(z.string(), z.string());
const exitStatus = z.int().min(0).max(255);
const tokens = z.int().min(0).optional();
const code = z.custom((value) => typeof value === 'function', 'expected a function');

const state = {
  answers: z
    .array(
      z.strictObject({
        args: z.array(z.string()),
        stdout: z.string(),
        stderr: z.string().optional(),
        status: exitStatus.optional(),
      }),
    )
    .optional(),
  env: texts.optional(),
  home: texts.optional(),
};
const loggedOut = z.strictObject(state).optional();
const foreign = z
  .record(z.string(), z.strictObject({ content: z.string(), keeps: z.string() }))
  .optional();
const capture = {
  stdout: z.string(),
  status: exitStatus,
  prompt: z.string().optional(),
  clock: z.object({ now: code, timeZone: z.string() }).optional(),
};
const says = z.strictObject({
  finalText: z.string(),
  sessionId: z.string().optional(),
  usage: z
    .strictObject({
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
    })
    .optional(),
  costUsd: z.number().optional(),
});

const kitSchema = z.strictObject({
  captures: z
    .strictObject({
      success: z.strictObject({ ...capture, says }),
      error: z.strictObject(capture),
    })
    .optional(),
  stub: z
    .strictObject({
      program: z.string().min(1).optional(),
      options: code.optional(),
      unlistedFlags: z.array(z.string()).optional(),
      ...state,
      loggedOut,
    })
    .optional(),
  realBinary: z.string().optional(),
  wire: z.strictObject({ run: code, foreign }).optional(),
});

const fileSchema = z.strictObject({
  program: z.string().min(1, 'expected the name of the program that `run` starts'),
  unlistedFlags: z.array(z.string()).optional(),
  ...state,
  loggedOut,
  foreign,
});

/** What a module exports as `conformance`. @throws DevflowError ADAPTER_INVALID naming all that is wrong with it */
export function readKit(exported: unknown, module: string): AdapterKit {
  check(kitSchema, exported, module, 'conformance');
  return exported as AdapterKit; // it has just been looked at
}

/**
 * What an adapter that is a directory brings along: `conformance.json`, and its program `wire`.
 * @throws DevflowError ADAPTER_INVALID naming all that is wrong with the file
 */
export function directoryKit(directory: string): AdapterKit {
  const text = readIfThere(path.join(directory, FILE));
  const wire = path.join(directory, 'wire');
  const { foreign: others, ...stub } =
    text === undefined ? {} : check(fileSchema, parse(text, directory), directory, FILE);
  const run: Wiring['run'] = (args, place) => runWire(wire, args, place);
  return {
    ...(text !== undefined && { stub }),
    ...(existsSync(wire) && { wire: { run, foreign: others } }),
  };
}

function parse(text: string, directory: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(directory, [`${FILE}: ${(error as Error).message}`]); // JSON.parse throws nothing else
  }
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  where: string,
  what: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const issues = describeIssues(parsed.error, schema, data);
  throw invalid(
    where,
    issues.map((issue) => `${what}: ${issue}`),
  );
}

function invalid(where: string, problems: readonly string[]): DevflowError {
  return new DevflowError('ADAPTER_INVALID', `${where} cannot be tested`, {
    problems,
    hint: 'Correct what is named above; docs/conformance.md says what an adapter brings along.',
  });
}
