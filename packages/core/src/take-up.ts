import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { notCounted } from './budget/budget.js';
import { budgetGiven } from './budget/given.js';
import { requireSameCode } from './code.js';
import type { RunContext } from './context.js';
import { DevflowError } from './errors.js';
import {
  type CodeOptions,
  type CommonOptions,
  type HeldRun,
  type PlannedRun,
  announce,
  holdRun,
} from './hold.js';
import { endAllHelpers } from './leftover-processes.js';
import { effect } from './process/effect.js';
import { MARKER_VARIABLE } from './process/tree.js';
import { type RunDefinition, readDefinition, requireSameDefinition } from './state/definition.js';
import { keepingCorrupt } from './state/corrupt-copy.js';
import { unmarkEnded } from './state/ended-mark.js';
import { halfWritten, readIfThere } from './state/files.js';
import { fold } from './state/fold.js';
import { openGate } from './state/gates.js';
import { openAttempt } from './state/selectors.js';
import { clearRequests } from './state/inbox.js';
import { type JournalContents, readJournalIfThere } from './state/journal.js';
import { type Lock, holderState, ownHolder, readHolder } from './state/lock.js';
import { takeRun, tookOverNote } from './state/take.js';
import { isDue } from './state/view.js';
import type { Budget } from './workflow/budget.js';

export type TakeUpOptions = CommonOptions & CodeOptions & { readonly due?: boolean };

/**
 * Takes a run up where it was left: its lock, the end of what a dead devflow left at work, its journal.
 * @param limit what a person says that it may spend
 * @throws DevflowError OPTION_INVALID, RUN_HELD, LOCK_FOREIGN, RUN_FINISHED, RUN_NOT_DUE, JOURNAL_CORRUPT, JOURNAL_NEWER
 */
export async function takeUpRun(
  planned: PlannedRun,
  options: TakeUpOptions,
  limit?: Budget,
): Promise<HeldRun> {
  const { paths, definition, agents } = planned;
  const due = options.due === true;
  const lock = takeRun(paths, definition.id);
  let held: HeldRun | undefined;
  try {
    if (lock.tookOver !== undefined) await endAllHelpers(paths.directory, definition.id);
    const contents = keepingCorrupt(paths.journal, () => readJournalIfThere(paths.journal));
    requireSameDefinition(paths.definition, definition, hashOf(contents));
    const state = fold(contents.records);
    const { ended, waiting } = state;
    if (due && (waiting === undefined || !isDue(waiting, Date.now())))
      throw new DevflowError('RUN_NOT_DUE', `the run "${definition.id}" is not due`);
    if (ended?.state === 'completed')
      throw new DevflowError('RUN_FINISHED', `the run "${definition.id}" is completed`);
    const open = openAttempt(state);
    if (open !== undefined && options.env[MARKER_VARIABLE] === open.token)
      throw new DevflowError(
        'OWN_RUN',
        `this devflow is part of the attempt that it would take up`,
      );
    if (!due) clearRequests(paths.inbox); // asked of a holder before: a person who resumes it is the newer word
    if (lock.tookOver !== undefined) removeHalfWritten([paths.directory, open?.directory ?? '']);
    const budget = limit && budgetGiven(definition, agents, state, limit);
    held = holdRun({ ...planned, config: undefined }, options, lock, contents);
    unmarkEnded(paths);
    const tookOver = lock.tookOver === undefined ? {} : { tookOver: lock.tookOver };
    const given = budget === undefined ? {} : { budget };
    const by = due ? ({ by: 'due' } as const) : {};
    held.context.log.append({
      type: 'run-resumed',
      holder: ownHolder(),
      ...tookOver,
      ...given,
      ...by,
    });
    announce(held.context, 'run-resumed');
    sayWhatWasFound(held, lock, contents);
    if (budget !== undefined) sayWhatIsNotCounted(held.context);
    return held;
  } catch (error) {
    (held ?? lock).release();
    throw error;
  }
}

/** Of the definition that the run began with. */
function hashOf({ records }: JournalContents): string | undefined {
  return records.flatMap((record) => (record.type === 'run-started' ? [record] : []))[0]
    ?.definition;
}

export function removeHalfWritten(directories: readonly string[]): void {
  for (const file of directories.flatMap(halfWritten))
    effect('run.remove-half', () => rmSync(file, { force: true }));
}

function sayWhatWasFound({ context }: HeldRun, lock: Lock, { tornBytes }: JournalContents): void {
  const note = (text: string) => context.emit({ type: 'note', text });
  const heir = tookOverNote(lock);
  if (heir !== undefined) note(heir);
  if (tornBytes > 0) {
    note(
      `the journal's last line was not written whole: ${tornBytes} bytes dropped, a copy kept beside it`,
    );
  }
}

function sayWhatIsNotCounted({ definition, log, emit }: RunContext): void {
  for (const text of notCounted(definition.workflow, log.state)) emit({ type: 'note', text });
}

/**
 * This very run, if it is there already and was cut off: the same task, workflow and range, under way, and its
 * devflow dead. One that is held, waits or has ended is for others to refuse.
 * @returns it with what was frozen when it began: its base, its branch
 * @throws DevflowError RUN_EXISTS where another of that name was cut off, or is completed; CODE_CHANGED
 */
export function cutOffRun(planned: PlannedRun): PlannedRun | undefined {
  const { definition, paths } = planned;
  if (readIfThere(paths.definition) === undefined) return undefined;
  const { id } = definition;
  const began = readDefinition(paths.definition, id);
  const holder = readHolder(paths.lock);
  if (holder !== undefined && holderState(holder) !== 'dead') return undefined;
  const { ended, waiting, gates } = fold(readJournalIfThere(paths.journal).records);
  if (ended?.state === 'completed') {
    throw new DevflowError('RUN_EXISTS', `there is a run "${id}" already, and it is completed`, {
      hint: `Choose another --name; \`devflow status ${id}\` shows this one.`,
    });
  }
  if (ended === undefined && openGate(gates) !== undefined) {
    throw new DevflowError(
      'RUN_EXISTS',
      `there is a run "${id}" already, and it waits for a person`,
      {
        hint: `\`devflow gates ${id}\` shows what is asked, \`devflow approve ${id}\` answers; else choose another --name.`,
      },
    );
  }
  if (ended !== undefined || waiting !== undefined) return undefined;
  const others = differences(what(began), what(definition));
  if (others.length > 0) {
    const message = `there is a run "${id}" already: it was cut off, and was begun with another ${others.join(', ')}`;
    throw new DevflowError('RUN_EXISTS', message, {
      hint: `\`devflow resume ${id}\` goes on with it as it was begun; else choose another --name.`,
    });
  }
  requireSameCode(began, definition.codeHashes);
  return { ...planned, definition: began };
}

/** What is asked for, as it comes back from a file. */
function what({ task, workflow, range, base }: RunDefinition): Record<string, unknown> {
  const asked = { task, workflow, 'range of phases': range, base: base.asked };
  return JSON.parse(JSON.stringify(asked)) as Record<string, unknown>;
}

function differences(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  return Object.keys(one).filter((name) => !isDeepStrictEqual(one[name], other[name]));
}
