import type { CodeOptions, RunResult } from '@devflow/core';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type ReporterFlags, chooseReporter } from './reporters/choose.js';
import { watchSignals } from './signals.js';
import type { Terminal } from './terminal.js';

type Watched = Required<Pick<CodeOptions, 'signal' | 'onEvent'>>;

/** Runs or resumes a run in front of a person or a program, to its report. */
export async function supervise(
  flags: ReporterFlags,
  terminal: Terminal,
  work: (watched: Watched) => Promise<RunResult>,
): Promise<ExitCode> {
  const reporter = await chooseReporter(flags, terminal);
  let runId: string | undefined;
  const interruption = watchSignals(
    (text) => reporter.say(text),
    () => runId,
  );
  try {
    const result = await work({
      signal: interruption.signal,
      onEvent(event) {
        runId = event.run;
        reporter.event(event);
      },
    });
    await reporter.finish(result);
    return interruption.interrupted && result.state === 'stopped'
      ? EXIT.interrupted
      : exitCodeOf(result);
  } catch (error) {
    await reporter.close();
    throw error;
  } finally {
    interruption.close();
  }
}
