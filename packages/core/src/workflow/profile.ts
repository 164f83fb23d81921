import path from 'node:path';
import type { McpServer } from '../adapter/index.js';
import type { ProfileDefinition } from './schema-profile.js';
import { readTextFile } from './text-file.js';

/** A named adapter with its model, environment and options; nothing left to look up. */
export interface Profile {
  /** Undefined where the profile names none, and nobody has filled it in. */
  readonly adapter?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly envFrom: readonly string[];
  readonly instructions?: string;
  readonly mcp?: Readonly<Record<string, McpServer>>;
  /** The adapter's own options. */
  readonly options: Readonly<Record<string, unknown>>;
}

export function fillProfile(
  name: string,
  definition: ProfileDefinition,
  dir: string,
  problems: string[],
): Profile {
  const { adapter, model, effort, env = {}, envFrom = [], ...more } = definition;
  const { instructions, instructionsFile, mcp, ...options } = more;
  if (instructions !== undefined && instructionsFile !== undefined)
    problems.push(`profiles.${name}: expected instructions or instructionsFile, found both`);
  const text =
    instructionsFile === undefined
      ? instructions
      : readTextFile(
          path.resolve(dir, instructionsFile),
          `profiles.${name}.instructionsFile`,
          problems,
        );
  return {
    ...(adapter !== undefined && { adapter }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    env,
    envFrom,
    ...(text !== undefined && { instructions: text }),
    ...(mcp !== undefined && { mcp }),
    options,
  };
}
