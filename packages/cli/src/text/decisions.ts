import type { Gate } from '@devflow/core';

/** `before phase 2 (1a2b3c4d5e)`: its id is what an answer can name. */
export function gateName({ kind, phase, gate }: Pick<Gate, 'kind' | 'phase' | 'gate'>): string {
  const of = kind === 'preflight' ? 'preflight of' : kind;
  return `${of} phase ${phase} (${gate})`;
}

export const NO_WAY_BACK = 'there is no phase to go back to';

/** What can be answered at a gate, as commands. @param waysBack the phases that a rejection can name: without one there is none */
export function decisions(
  run: string,
  { kind }: Pick<Gate, 'kind'>,
  waysBack: readonly string[] = [],
): { readonly before: string; readonly commands: readonly string[] } {
  const others = waysBack.length > 1 ? ' [--to <phase>]' : '';
  const approve = `devflow approve ${run}`;
  const abort = `devflow abort ${run}`;
  if (kind === 'preflight')
    return { before: 'or go on once all the same, or end it:', commands: [approve, abort] };
  const approval = `${approve} [--note "…"]`;
  if (waysBack.length === 0)
    return { before: `${NO_WAY_BACK}; to decide:`, commands: [approval, abort] };
  return {
    before: 'to decide:',
    commands: [approval, `devflow reject ${run} --note "…"${others}`, abort],
  };
}
