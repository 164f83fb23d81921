import { type Findings, fields, problem } from '@devflow/core/adapter';

import type { Ask } from './preflight.js';

/** An effort is a variant of the model; one that the model does not have OpenCode leaves out without a word. */
export async function inspectEffort(
  model: string,
  provider: string,
  effort: string | undefined,
  ask: Ask,
): Promise<Findings> {
  if (effort === undefined) return {};
  const { status, stdout } = await ask('models', provider, '--verbose');
  const variants = status === 0 ? variantsOf(stdout, model) : undefined;
  if (variants === undefined)
    return { notes: [`Whether ${model} knows the effort ${effort} is unknown.`] };
  if (variants.includes(effort)) return {};
  const words = variants.length === 0 ? 'it has none' : `it has ${variants.join(', ')}`;
  return problem(
    'AGENT_EFFORT',
    `OpenCode knows no effort ${effort} of ${model}, and would leave it out: ${words}.`,
    'Correct `effort`, or leave it out; `variants` of the model in the configuration of OpenCode gives it others.',
  );
}

/** Of `opencode models <provider> --verbose`: below the name of each model what is known of it, as JSON. Undefined where that cannot be read. */
function variantsOf(listed: string, model: string): readonly string[] | undefined {
  const lines = listed.split('\n');
  const start = lines.indexOf(model) + 1;
  const end = lines.indexOf('}', start) + 1;
  if (start === 0 || end === 0) return undefined;
  try {
    const entry = fields(JSON.parse(lines.slice(start, end).join('\n')));
    const variants = fields(entry?.['variants']);
    return variants && Object.keys(variants);
  } catch {
    return undefined;
  }
}
