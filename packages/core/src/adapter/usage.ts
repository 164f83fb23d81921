import type { Usage } from './agent-event.js';

const KINDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;
type Kind = (typeof KINDS)[number];

/** Tokens kind by kind; a kind that is not stated stays away. */
export function usageBy(count: (kind: Kind) => number | undefined): Usage {
  return Object.fromEntries(
    KINDS.map((kind) => [kind, count(kind)]).filter(([, tokens]) => tokens !== undefined),
  );
}

/** A sum with an unknown part is unknown. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage {
  return usageBy((kind) => addKnown(one?.[kind], other?.[kind]));
}

/** What came on top of an earlier sum; unknown where one of the two is, or where it went down. */
export function usageSince(sum: Usage, earlier: Usage): Usage {
  return usageBy((kind) => {
    const [now, then] = [sum[kind], earlier[kind]];
    return now === undefined || then === undefined || now < then ? undefined : now - then;
  });
}

/** A sum with an unknown part is unknown. */
export function addKnown(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
