import { fileURLToPath } from 'node:url';
import { DevflowError } from '@devflow/core/errors';
import {
  type ConformanceReport,
  conformAdapterApart,
  exitCodeOfReport,
  jsonReport,
  markdownReport,
  terminalReport,
} from '@devflow/core/testing';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { type Style, oneLine, printedLine } from '../text/style.js';

export interface ConformFlags {
  readonly case?: string;
  readonly deadline?: string;
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
  const over = new AbortController();
  const stop = () => over.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    const report = await conform(name, flags, terminal, over.signal);
    terminal.out(shown(report, flags, terminal));
    return over.signal.aborted ? EXIT.interrupted : exitCodeOfReport(report);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/** Where the adapter is run: it may hang, and end the process that it is in. */
const CHILD = fileURLToPath(new URL('./conform-child.js', import.meta.url));

/** Says on a terminal which case it is at. */
async function conform(
  name: string,
  flags: ConformFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ConformanceReport> {
  const isWatched = terminal.errWidth !== Infinity;
  const { dim } = terminal.errStyle;
  const clear = '\r\x1b[K';
  const place = placeOf(flags);
  const deadlineMs = deadlineOf(flags);
  const report = await conformAdapterApart({
    command: [process.execPath, CHILD, name, place.cwd],
    name,
    ...place,
    ...(flags.case !== undefined && { only: flags.case }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(isWatched && { onCase: (one) => terminal.err(`${clear}${dim(`${one} …`)}`) }),
    onOutput: (text) => terminal.err(text.split('\n').map(printedLine).join('\n')),
    signal,
  });
  if (isWatched) terminal.err(clear);
  return report;
}

/** @throws DevflowError OPTION_INVALID */
function deadlineOf({ deadline }: ConformFlags): number | undefined {
  if (deadline === undefined) return undefined;
  const seconds = Number(deadline);
  if (seconds > 0 && seconds <= 3_600) return seconds * 1000;
  throw new DevflowError(
    'OPTION_INVALID',
    `--deadline: expected seconds, up to 3600, found "${deadline}"`,
  );
}

function shown(report: ConformanceReport, flags: ConformFlags, terminal: Terminal): string {
  if (flags.json === true) return jsonReport(report);
  if (flags.markdown === true) return markdownReport(report);
  const { style, width } = terminal;
  return terminalReport(harmless(report), {
    width: Math.min(width, 80),
    paint: (verdict, text) => style[COLOURS[verdict]](text),
  });
}

/** What an adapter says of itself must not steer the terminal. */
function harmless(report: ConformanceReport): ConformanceReport {
  const cases = report.cases.map(({ summary, evidence, ...rest }) => ({
    ...rest,
    summary: oneLine(summary),
    evidence: evidence.map(oneLine),
  }));
  const versions = Object.entries(report.versions).map(([name, words]) => [name, oneLine(words)]);
  return { ...report, versions: Object.fromEntries(versions), cases };
}

const COLOURS = {
  PASS: 'green',
  FAIL: 'red',
  ERROR: 'red',
  UNSUPPORTED: 'yellow',
  SKIP: 'yellow',
} as const satisfies Record<string, keyof Style>;
