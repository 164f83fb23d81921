import type { CodeOptions, RunEvent, RunResult } from '@devflow/core';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type ReporterFlags, chooseReporter } from './reporters/choose.js';
import type { Reporter } from './reporters/reporter.js';
import { type Interruption, type UnderWay, watchSignals } from './signals.js';
import type { Terminal } from './terminal.js';
import { nameRun } from './text/hint.js';

/** Runs or resumes a run. */
export type Work = (
  watched: Required<Pick<CodeOptions, 'signal' | 'onEvent'>> & Pick<CodeOptions, 'wait'>,
) => Promise<RunResult>;

/**
 * Runs or resumes a run in front of a person or a program, to its report.
 *
 * @param named the run, where it is known before it says so itself
 */
export async function supervise(
  flags: ReporterFlags,
  terminal: Terminal,
  work: Work,
  named?: string,
): Promise<ExitCode> {
  const reporter = await chooseReporter(flags, terminal);
  let runId = named;
  let underWay: UnderWay = 'other';
  const interruption = watchSignals(
    (text) => reporter.say(text),
    () => runId,
    { underWay: () => underWay },
  );
  try {
    return await report(reporter, interruption, (watched) =>
      work({
        ...watched,
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
  }
}

function whatGoesOn({ type }: RunEvent): UnderWay | undefined {
  if (type === 'attempt-started') return 'agent';
  if (type === 'run-waiting') return 'wait';
  return type === 'attempt-ended' || type === 'check-started' || type === 'wait-over'
    ? 'other'
    : undefined;
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
