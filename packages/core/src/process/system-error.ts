/** A handle or a process more is not to be had now: that says nothing of what was asked for. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ESRCH']);

/** Does the system say that it is not there? Whatever else it says leaves that open: unknown is not "no". */
export function isGone(error: unknown): boolean {
  return GONE.has(codeOf(error));
}

/** Has the system run out of file handles, processes or memory? */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.has(codeOf(error));
}

/** The system's own name for an error, e.g. `ENOSPC`; empty where it is none of the system's. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
