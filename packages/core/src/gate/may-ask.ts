import { agentsOf } from '../agents.js';
import type { RunContext } from '../context.js';
import { lookAt } from '../phase.js';
import { reportPreflight } from '../preflight/report.js';
import type { Phase } from '../workflow/workflow.js';
import { mayBeginUnchecked } from './gates.js';

/**
 * Looks whether a person may be asked to let a phase begin: what stands in its way is said first, for they approve and
 * walk away. Once they have approved it is looked at again: things change while one waits. The result is journalled.
 */
export async function mayAsk(context: RunContext, phase: Phase): Promise<boolean> {
  if (mayBeginUnchecked(context.log.state, phase)) return true;
  const candidates = agentsOf(context.agents, phase).map((agent) => ({
    agent,
    sessionId: undefined,
  }));
  const { head: _, agent: __, continues: ___, ...found } = await lookAt(context, phase, candidates);
  reportPreflight(context, phase, found);
  return found.problems.length === 0;
}
