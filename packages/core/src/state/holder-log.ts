import { constants, existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { effect } from '../process/effect.js';
import { openRegular } from '../process/own-file.js';
import { asStateFault } from './fault.js';
import { makeDirectory } from './files.js';

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/** In a run's directory: what a devflow without a terminal says, and what it dies of. */
export const HOLDER_LOG = 'devflow.log';

export interface HolderLog {
  /** Open for appending and reading; also after the file was moved. */
  readonly descriptor: number;
  readonly file: string;
}

/**
 * Opens the log of a run's directory. Where that is not there yet, a file is opened on the same file system, to
 * be moved there by {@link moveHolderLog}: whoever writes to it need not know.
 *
 * @throws DevflowError STATE_UNWRITABLE
 */
export function openHolderLog(runDirectory: string): HolderLog {
  const isThere = existsSync(runDirectory);
  const aside = path.resolve(runDirectory, '..', '..');
  if (!isThere) effect('run.open-log', () => makeDirectory(aside));
  const file = isThere
    ? path.join(runDirectory, HOLDER_LOG)
    : path.join(aside, `${crypto.randomUUID()}.log`);
  try {
    return { descriptor: openRegular(file, O_RDWR | O_APPEND | O_CREAT, 0o600), file };
  } catch (error) {
    throw asStateFault(error);
  }
}

/** Puts the log into the run's directory, once that is there; does nothing where it is there already. */
export function moveHolderLog(file: string, runDirectory: string): void {
  const place = path.join(runDirectory, HOLDER_LOG);
  if (file !== place) effect('run.move-log', () => renameSync(file, place));
}
