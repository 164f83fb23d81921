import {
  type AdapterSubject,
  type ConformanceReport,
  conformAdapter,
  exitCodeOfReport,
  jsonReport,
  markdownReport,
  terminalReport,
} from '@devflow/core/testing';
import { adapterSubject } from '../adapters/subject.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import type { Style } from '../text/style.js';

export interface ConformFlags {
  readonly case?: string;
  readonly json?: true;
  readonly markdown?: true;
  readonly cwd?: string;
}

/** Asks an adapter what the contract promises. Exits 1 where it breaks a promise, 2 where it cannot be built. */
export async function conformTheAdapter(
  name: string,
  flags: ConformFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const subject = await adapterSubject(name, placeOf(flags));
  const over = new AbortController();
  const stop = () => over.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    const report = await conform(subject, flags, terminal, over.signal);
    terminal.out(shown(report, flags, terminal));
    return over.signal.aborted ? EXIT.interrupted : exitCodeOfReport(report);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/** Says on a terminal which case it is at. */
async function conform(
  subject: AdapterSubject,
  flags: ConformFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ConformanceReport> {
  const isWatched = terminal.errWidth !== Infinity;
  const { dim } = terminal.errStyle;
  const clear = '\r\x1b[K';
  const report = await conformAdapter(subject, {
    ...(flags.case !== undefined && { only: flags.case }),
    ...(isWatched && { onCase: (name) => terminal.err(`${clear}${dim(`${name} …`)}`) }),
    signal,
  });
  if (isWatched) terminal.err(clear);
  return report;
}

function shown(report: ConformanceReport, flags: ConformFlags, terminal: Terminal): string {
  if (flags.json === true) return jsonReport(report);
  if (flags.markdown === true) return markdownReport(report);
  const { style, width } = terminal;
  return terminalReport(report, {
    width: Math.min(width, 80),
    paint: (verdict, text) => style[COLOURS[verdict]](text),
  });
}

const COLOURS = {
  PASS: 'green',
  FAIL: 'red',
  ERROR: 'red',
  UNSUPPORTED: 'yellow',
  SKIP: 'yellow',
} as const satisfies Record<string, keyof Style>;
