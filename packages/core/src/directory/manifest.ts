import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { describeIssues } from '../workflow/problems.js';

/** What a directory may say of itself. */
const FILE = 'adapter.json';
const schema = z.strictObject({
  version: z.string().min(1, 'expected a text that is not empty').optional(),
});

export interface Manifest {
  readonly version?: string | undefined;
  /** All that is wrong with it. */
  readonly problems: readonly string[];
}

/** Nothing where there is no `adapter.json`. */
export function readManifest(directory: string): Manifest {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(path.join(directory, FILE), 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // a SyntaxError has no code
    return { problems: code === 'ENOENT' ? [] : [`${FILE}: ${message}`] };
  }
  const parsed = schema.safeParse(data);
  if (parsed.success) return { ...parsed.data, problems: [] };
  return {
    problems: describeIssues(parsed.error, schema, data).map(
      (text) => `${FILE}: ${text.replace(/^the configuration: /, '')}`,
    ),
  };
}
