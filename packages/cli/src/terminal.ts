import { type Style, createStyle } from './text/style.js';

/** Where the output goes, and what may be done there. */
export interface Terminal {
  /** What was asked for: stdout. */
  out(text: string | Uint8Array): void;
  /** What is said beside it: stderr. */
  err(text: string): void;
  /** A person watches stdout: it may be drawn upon. */
  readonly interactive: boolean;
  /** Nobody reads stdout any more. */
  readonly closed: boolean;
  /** Columns of stdout; no end of them where it is no terminal: what is piped is not cut, only text is folded. */
  readonly width: number;
  /** Columns of stderr, in the same way. */
  readonly errWidth: number;
  readonly style: Style;
  readonly errStyle: Style;
}

export function openTerminal(env: NodeJS.ProcessEnv): Terminal {
  const { stdout, stderr } = process;
  // Code of the user's is sent off to stderr (config/code.ts), this is not; on a terminal whoever draws comes between.
  const write = stdout.isTTY
    ? (text: string | Uint8Array) => stdout.write(text)
    : stdout.write.bind(stdout);
  let closed = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (closed) return;
    closed = true;
    // The reader has gone (`| head -1`), or the terminal: the work goes on, there is only nobody to tell.
    if (error.code === 'EPIPE' || error.code === 'EIO') return;
    stderr.write(`devflow: stdout cannot be written (${error.message}); the work goes on\n`);
  });
  stderr.on('error', () => undefined); // there is no place left to say so
  const dumb = env['TERM'] === 'dumb';
  const colors = !isSet(env['NO_COLOR']) && !dumb;
  return {
    out: (text) => void (closed || write(text)),
    err: (text) => void stderr.write(text),
    // Where nothing has a width, or next to none, nothing can be drawn.
    interactive: stdout.isTTY && stdout.columns >= 20 && !dumb && !isSet(env['CI']),
    get closed() {
      return closed;
    },
    get width() {
      return columnsOf(stdout);
    },
    get errWidth() {
      return columnsOf(stderr);
    },
    style: createStyle(colors && stdout.isTTY),
    errStyle: createStyle(colors && stderr.isTTY),
  };
}

function columnsOf({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY ? columns || 80 : Infinity; // 0 in some terminals that do not know
}

/** By their conventions NO_COLOR and CI count where they are not empty; `CI=false` is in use as well. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false';
}
