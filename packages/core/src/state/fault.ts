import { DevflowError } from '../errors.js';

const DISK_FULL = 'the disk is full';
const NO_DIRECTORY = 'something on that path is a file where a directory is needed';
const NO_FILE = 'there is a directory where a file is needed';
const NOT_ALLOWED = 'devflow may not write there';

/** What the system's words mean for whoever has to mend it. */
const MEANINGS: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  ENOSPC: [DISK_FULL, 'Free some space, then do it again.'],
  EDQUOT: [DISK_FULL, 'Free some space or raise the quota, then do it again.'],
  ENOTDIR: [NO_DIRECTORY, 'Move that file away, or set XDG_STATE_HOME or worktree.dir elsewhere.'],
  EEXIST: [NO_DIRECTORY, 'Move that file away, or set XDG_STATE_HOME or worktree.dir elsewhere.'],
  EISDIR: [NO_FILE, 'Move that directory away, then do it again.'],
  EACCES: [NOT_ALLOWED, 'Give your user the right to write there.'],
  EPERM: [NOT_ALLOWED, 'Give your user the right to write there.'],
  EROFS: ['the file system is read-only', 'Make it writable, or use a clone elsewhere.'],
};

/** An error of the system in writing devflow's state, as people need it: path, why, what to do. Any other error is given back as it is. */
export function asStateFault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DevflowError) return error;
  const { code, path, dest, message } = error as NodeJS.ErrnoException & { dest?: string };
  const meaning = MEANINGS[code ?? ''];
  if (meaning === undefined) return error;
  const [why, hint] = meaning;
  const where = dest ?? path ?? 'the state of devflow';
  return new DevflowError('STATE_UNWRITABLE', `${where}: ${why} (${message})`, {
    hint,
    cause: error,
  });
}
