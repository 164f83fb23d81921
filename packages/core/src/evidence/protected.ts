import path from 'node:path';
import type { RunContext } from '../context.js';
import { DevflowError } from '../errors.js';
import { isWorktreeOf } from '../git/worktree.js';
import { protectedChanges } from '../git/protected.js';
import type { ProtectedFacts } from '../judge/observation.js';
import { effect } from '../process/effect.js';
import { protection } from './protection.js';
import type { Attempt } from '../state/fold.js';
import { acceptedCommit } from '../state/selectors.js';
import type { Phase } from '../workflow/workflow.js';
import { runWorktree } from '../workspace.js';

/**
 * What an attempt, or one before it, changed of what its phase may not change: measured against what was accepted
 * last, so that no later attempt starts from a change that was rejected. A review changes nothing of the run.
 * @returns undefined where there is nothing to compare
 */
export async function compareProtected(
  context: RunContext,
  phase: Phase,
  attempt: Attempt,
  head: string | undefined,
): Promise<ProtectedFacts | undefined> {
  if (phase.protect.length === 0 || phase.mode === 'review') return undefined;
  const { repository, definition, log, env, sandbox } = context;
  const directory = runWorktree(context);
  if (head === undefined || !isWorktreeOf(repository, directory))
    return { unknown: 'git could not be asked' };
  const place = {
    directory,
    scratch: path.join(attempt.directory, 'protected'),
    accepted: acceptedCommit(log.state, definition.base.commit),
    head,
    confined: sandbox.confinedBy !== 'nobody',
  };
  try {
    return await effect('protected.compare', () =>
      protectedChanges(place, protection(phase.protect), env),
    );
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    return { unknown: error.message };
  }
}
