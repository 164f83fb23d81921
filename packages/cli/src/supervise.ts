import type { Ask, CodeOptions, RunEvent, RunResult } from '@devflow/core';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type ReporterFlags, chooseReporter } from './reporters/choose.js';
import type { Reporter } from './reporters/reporter.js';
import { type Interruption, type UnderWay, watchSignals } from './signals.js';
import { watchStrays } from './stray.js';
import type { Terminal } from './terminal.js';
import { nameRun } from './text/hint.js';

/** Runs or resumes a run. */
export type Work = (
  watched: Required<Pick<CodeOptions, 'signal' | 'onEvent'>> & Pick<CodeOptions, 'wait' | 'ask'>,
) => Promise<RunResult>;

export interface Supervised {
  /** The run, where it is known before it says so itself. */
  readonly named?: string;
  /** Asks a person at a gate, where one may be asked here. */
  readonly asker?: (reporter: Reporter) => Ask;
}

/** Runs or resumes a run in front of a person or a program, to its report. */
export async function supervise(
  flags: ReporterFlags,
  terminal: Terminal,
  work: Work,
  { named, asker }: Supervised = {},
): Promise<ExitCode> {
  const reporter = await chooseReporter(flags, terminal);
  let runId = named;
  let underWay: UnderWay = 'other';
  const interruption = watchSignals(
    (text) => reporter.say(text),
    () => runId,
    { underWay: () => underWay },
  );
  const strays = watchStrays(flags, terminal, () => runId);
  try {
    const ask = asker?.(reporter);
    return await report(reporter, interruption, (watched) =>
      work({
        ...watched,
        ...(ask !== undefined && { ask }),
        onEvent(event) {
          runId = event.run;
          underWay = whatGoesOn(event) ?? underWay;
          watched.onEvent(event);
        },
      }),
    );
  } catch (error) {
    throw nameRun(error, runId);
  } finally {
    interruption.close();
    strays.close();
  }
}

const OTHER = new Set<RunEvent['type']>([
  'attempt-ended', 'check-started', 'wait-over', 'gate-decided',
]); // prettier-ignore

export function whatGoesOn(event: RunEvent): UnderWay | undefined {
  if (event.type === 'attempt-started') return 'agent';
  if (event.type === 'run-waiting') return event.gate === undefined ? 'wait' : 'gate';
  return OTHER.has(event.type) ? 'other' : undefined;
}

/** One run, to its report. */
export async function report(
  reporter: Reporter,
  interruption: Interruption,
  work: Work,
): Promise<ExitCode> {
  try {
    const result = await work({
      signal: interruption.signal,
      onEvent: (event) => reporter.event(event),
    });
    await reporter.finish(result);
    return interruption.interrupted && result.state === 'stopped'
      ? EXIT.interrupted
      : exitCodeOf(result);
  } catch (error) {
    await reporter.close();
    throw error;
  }
}
