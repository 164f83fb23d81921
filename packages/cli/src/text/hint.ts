import { DevflowError } from '@devflow/core/errors';

/** Puts the run into a hint that speaks of `<run>`, so that it can be copied. Where it is not known, the message may name it. */
export function nameRun(error: unknown, runId?: string): unknown {
  if (!(error instanceof DevflowError) || !error.hint.includes('<run>')) return error;
  const { code, message, problems, cause } = error;
  const run = runId ?? /\brun "([^"]+)"/.exec(message)?.[1];
  if (run === undefined) return error;
  return new DevflowError(code, message, {
    hint: error.hint.replaceAll('<run>', run),
    problems,
    cause,
  });
}
