import { endAllHelpers } from '../leftover-processes.js';
import type { CodeOptions, CommonOptions } from '../hold.js';
import { emitter, openRunLog } from '../context.js';
import { findRepository } from '../git/repository.js';
import { HELPER_VARIABLE } from '../process/helpers.js';
import { readDefinition } from '../state/definition.js';
import { withClearFaults } from '../state/fault.js';
import { fold } from '../state/fold.js';
import { openJournal, readJournalIfThere } from '../state/journal.js';
import { tryLock } from '../state/lock.js';
import { channelsToTell } from '../state/news.js';
import { runPaths } from '../state/paths.js';
import { removeHalfWritten } from '../take-up.js';
import { tellNews } from './notifier.js';

/**
 * Tells what a run has come to where its devflow died before it could. The run goes on by this in nothing.
 * Where another devflow holds it, that one tells.
 *
 * @throws DevflowError RUN_NOT_FOUND, JOURNAL_CORRUPT, JOURNAL_NEWER
 */
export function tellUntold(
  runId: string,
  options: CommonOptions & Pick<CodeOptions, 'signal' | 'onEvent'>,
): Promise<void> {
  return withClearFaults(() => tell(runId, options));
}

async function tell(
  runId: string,
  { cwd, env, signal, onEvent }: CommonOptions & Pick<CodeOptions, 'signal' | 'onEvent'>,
): Promise<void> {
  const repository = await findRepository(cwd, env);
  const paths = runPaths(repository.commonDir, runId);
  const definition = readDefinition(paths.definition, runId);
  const isUntold = (records: Parameters<typeof fold>[0]) =>
    channelsToTell(definition.workflow.notify, fold(records).news).length > 0;
  if (!isUntold(readJournalIfThere(paths.journal).records)) return;
  const lock = tryLock(paths.lock);
  if (!('release' in lock)) return;
  try {
    if (lock.tookOver !== undefined) {
      await endAllHelpers(paths.directory, runId);
      removeHalfWritten([paths.directory]);
    }
    const contents = readJournalIfThere(paths.journal);
    if (!isUntold(contents.records)) return; // another was first
    const journal = openJournal(paths.journal, contents, () => lock.assertHeld());
    const { emit, reportListener } = emitter(runId, onEvent, () => undefined);
    try {
      await tellNews({
        definition,
        repository,
        agents: new Map(),
        env: { ...env, [HELPER_VARIABLE]: paths.directory },
        stop: signal ?? new AbortController().signal,
        log: openRunLog(journal, contents.records),
        emit,
      });
    } finally {
      journal.close();
    }
    reportListener();
  } finally {
    lock.release();
  }
}
