import type { RunContext } from '../context.js';
import type { Phase } from '../workflow/workflow.js';
import { type Candidate, type ReadyAgent, firstReady } from './agent.js';
import { checkOperatorItems } from './operator.js';
import { missingCheckPrograms } from './program.js';
import { checkRepository } from './repository.js';

export type PreflightContext = Pick<
  RunContext,
  | 'definition'
  | 'repository'
  | 'agents'
  | 'config'
  | 'measured'
  | 'env'
  | 'log'
  | 'sandbox'
  | 'hooks'
  | 'stop'
  | 'loginChecked'
>;

export interface PreflightResult extends ReadyAgent {
  /** The commit the run is at; undefined where that could not be found out. */
  readonly head?: string;
}

/** Everything that must hold before a phase begins; all of it is looked at, and all problems come at once. Spends nothing. */
export async function preflight(
  context: PreflightContext,
  phase: Phase,
  candidates: readonly Candidate[],
): Promise<PreflightResult> {
  const { worktree } = context.log.state;
  const cwd = worktree?.stage === 'ready' ? worktree.directory : context.repository.root;
  const [repository, ofAgent, operator] = await Promise.all([
    checkRepository(context),
    firstReady(context, phase, candidates, cwd),
    checkOperatorItems(context, phase, cwd),
  ]);
  return {
    ...ofAgent,
    ...(repository.head !== undefined && { head: repository.head }),
    problems: [
      ...repository.problems,
      ...ofAgent.problems,
      ...missingCheckPrograms(context, phase),
      ...operator,
    ],
    notes: [...repository.notes, ...ofAgent.notes],
  };
}
