import { DevflowError, type ErrorCode } from '../errors.js';
import { codeOf } from '../process/system-error.js';

type Meaning = readonly [code: ErrorCode, why: string, hint: string];

function unwritable(why: string, hint: string): Meaning {
  return ['STATE_UNWRITABLE', why, hint];
}
function limit(why: string, hint: string): Meaning {
  return ['SYSTEM_LIMIT', why, hint];
}

const NO_DIRECTORY = unwritable(
  'something on that path is a file where a directory is needed',
  'Move that file away, or set XDG_STATE_HOME or worktree.dir elsewhere',
);
const NOT_ALLOWED = unwritable(
  'your user may not read or write there',
  'Give your user the right to it: see `ls -ld`',
);
const NO_PROCESS = limit(
  'the system has no process left to give',
  'End other programs, or raise the limit (`ulimit -u`, or pids of the container)',
);

/** What the system's words mean for whoever has to mend it. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: unwritable('the disk is full', 'Free some space'),
  EDQUOT: unwritable('the disk is full', 'Free some space or raise the quota'),
  ENOTDIR: NO_DIRECTORY,
  EEXIST: NO_DIRECTORY,
  NO_REGULAR_FILE: [
    'STATE_UNREADABLE',
    'devflow keeps a file there, and something else has taken its place',
    'Move that away',
  ],
  EISDIR: unwritable('there is a directory where a file is needed', 'Move that directory away'),
  EFBIG: unwritable('a file may not become that large', 'Raise the limit (`ulimit -f`)'),
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: unwritable('the file system is read-only', 'Make it writable, or use a clone elsewhere'),
  EIO: unwritable(
    'the disk does not do what it should',
    'See what the system says of it (`dmesg`)',
  ),
  EMFILE: limit('devflow has no file handle left', 'Raise the limit (`ulimit -n`)'),
  ENFILE: limit('the system has no file handle left', 'End other programs, or raise fs.file-max'),
  EAGAIN: NO_PROCESS,
  ENOMEM: limit('the system has no memory left', 'End other programs'),
};

/**
 * An error of the system in what devflow keeps or starts, as people need it: what, why, what to do. Any other
 * error is given back as it is.
 * @param then what to do once that is mended
 */
export function asStateFault(error: unknown, then = 'do it again'): unknown {
  if (!(error instanceof Error) || error instanceof DevflowError) return error;
  const meaning = MEANINGS[codeOf(error)];
  if (meaning === undefined) return error;
  const [code, why, hint] = meaning;
  const { path, dest, message } = error as NodeJS.ErrnoException & { dest?: string };
  const where = code === 'SYSTEM_LIMIT' ? '' : `${dest ?? path ?? 'the state of devflow'}: `;
  return new DevflowError(code, `${where}${why} (${message})`, {
    hint: `${hint}, then ${then}.`,
    cause: error,
  });
}

/** Does something, with the system's errors as people need them. */
export async function withClearFaults<T>(work: () => Promise<T>, then?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asStateFault(error, then);
  }
}
