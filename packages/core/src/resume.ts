import { resolveAgents } from './agents.js';
import { hashCode, requireSameCode } from './code.js';
import { DevflowError } from './errors.js';
import { findRepository } from './git/repository.js';
import { requireHooks } from './hooks.js';
import type { RunResult } from './result.js';
import { drive } from './run.js';
import {
  type CodeOptions,
  type CommonOptions,
  announce,
  holdRun,
  requirePlatform,
} from './start.js';
import { readDefinition } from './state/definition.js';
import { unmarkEnded } from './state/ended-mark.js';
import { fold } from './state/fold.js';
import { readJournalIfThere } from './state/journal.js';
import { clearRequests } from './state/inbox.js';
import { ownHolder } from './state/lock.js';
import { runPaths } from './state/paths.js';
import { checkRecords } from './state/record-schema.js';
import { takeRun } from './state/take.js';

export interface ResumeOptions extends CommonOptions, CodeOptions {
  /** Go on although hooks or local adapters have changed since the run began. */
  readonly acceptCode?: boolean;
}

/**
 * Goes on with a run: follows an agent that still works, judges one that ended unseen, looks again at what
 * stood in the way. Whatever the run was started with still counts.
 *
 * @throws DevflowError RUN_NOT_FOUND, RUN_HELD, LOCK_FOREIGN, RUN_FINISHED, CODE_CHANGED, JOURNAL_CORRUPT, JOURNAL_NEWER
 */
export async function resume(runId: string, options: ResumeOptions): Promise<RunResult> {
  requirePlatform();
  const { cwd, env, adapters, hooks = {} } = options;
  const repository = await findRepository(cwd, env);
  const paths = runPaths(repository.commonDir, runId);
  const definition = readDefinition(paths.definition, runId);
  const { workflow } = definition;
  const agents = resolveAgents(workflow, adapters);
  requireHooks(workflow, hooks);
  if (options.acceptCode !== true) requireSameCode(definition, hashCode(workflow, hooks, agents));

  const lock = takeRun(paths, runId);
  try {
    const contents = readJournalIfThere(paths.journal);
    checkRecords(contents.records, paths.journal);
    const { ended } = fold(contents.records);
    // Asked of a holder that is dead, or before the run ended: resuming is the newer word.
    if (ended !== undefined || lock.tookOver !== undefined) clearRequests(paths.inbox);
    if (ended?.state === 'completed')
      throw new DevflowError('RUN_FINISHED', `the run "${runId}" is completed`);
    const held = holdRun(
      { definition, repository, agents, paths, config: undefined },
      options,
      lock,
      contents,
    );
    try {
      const { context } = held;
      const tookOver = lock.tookOver === undefined ? {} : { tookOver: lock.tookOver };
      unmarkEnded(paths);
      context.log.append({ type: 'run-resumed', holder: ownHolder(), ...tookOver });
      announce(context, 'run-resumed');
      if (lock.tookOver !== undefined) {
        context.emit({
          type: 'note',
          text: `took the run over from process ${lock.tookOver.pid}, which is dead`,
        });
      }
      if (contents.tornBytes > 0) {
        context.emit({
          type: 'note',
          text: `the journal's last line was not written whole: ${contents.tornBytes} bytes dropped, a copy kept beside it`,
        });
      }
      const result = await drive(context);
      held.reportListener();
      return result;
    } finally {
      held.release();
    }
  } finally {
    lock.release();
  }
}
