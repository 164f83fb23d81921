import { z } from 'zod';
import type { AgentResult } from '../adapter/index.js';

/** A reset that is longer over, or further away, is no reset: a number in another unit, a year that cannot be. */
const RESET_PAST_MS = 24 * 3_600_000;
const RESET_AHEAD_MS = 60 * 24 * 3_600_000;

const dropped = () => undefined;
const tokens = z.int().min(0).optional().catch(dropped);
const usage = z
  .object({
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
  })
  .optional()
  .catch(dropped);
const words = z.string().optional().catch(dropped);

/** What an adapter's parser says of a turn. What does not fit is unknown, never zero and never yes. */
const schema = z.object({
  turn: z.enum(['finished', 'failed', 'open', 'unknown']).catch('open'),
  finalText: words,
  sessionId: words,
  usage,
  sessionUsage: usage,
  costUsd: z.number().min(0).optional().catch(dropped),
  structuredOutput: z.unknown().optional(),
  failure: z
    .object({
      kind: z.enum(['failed', 'rate-limited', 'auth']).catch('failed'),
      message: z.string().catch('the agent gave no reason'),
      resetsAt: z.string().refine(isNear).optional().catch(dropped),
    })
    .optional()
    .catch({ kind: 'failed', message: 'the agent reported a failure in a form that is not known' }),
  denials: z.array(z.string()).optional().catch(dropped),
});

/** An adapter's own result as the contract has it. Adapters can be anybody's code. */
export function readResult(given: unknown): AgentResult {
  const { success, data } = schema.safeParse(given);
  return success ? (withoutUndefined(data) as AgentResult) : { turn: 'open' }; // by the schema
}

function isNear(resetsAt: string): boolean {
  const away = Date.parse(resetsAt) - Date.now();
  return away > -RESET_PAST_MS && away < RESET_AHEAD_MS && !Number.isNaN(away);
}

/** What is left out is left away, also one level down. */
function withoutUndefined(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]: [string, unknown]) => [
        key,
        ['usage', 'sessionUsage', 'failure'].includes(key)
          ? withoutUndefined(inner as object)
          : inner,
      ]),
  );
}
