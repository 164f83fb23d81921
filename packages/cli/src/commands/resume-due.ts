import type { RunEvent, RunView } from '@devflow/core';
import { DevflowError } from '@devflow/core/errors';
import { listRuns } from '@devflow/core/status';
import { budgetIn } from '../budget.js';
import { EXIT, type ExitCode, exitCodeOfError, worstOf } from '../exit-codes.js';
import { type Place, placeOf } from '../place.js';
import { chooseReporter } from '../reporters/choose.js';
import { type Interruption, watchSignals } from '../signals.js';
import { report } from '../supervise.js';
import type { Terminal } from '../terminal.js';
import { describeError, errorText } from '../text/error.js';
import { nameRun } from '../text/hint.js';
import { wrap } from '../text/style.js';
import { type ResumeFlags, prepareResume } from './resume.js';

/** Goes on with all runs that are due, and where that is asked with those that were cut off, or with the one that is named, all at once. What another devflow took meanwhile is left to it. */
export async function resumeDue(
  named: string | undefined,
  flags: ResumeFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  if (flags.due !== true) {
    throw new DevflowError('OPTION_INVALID', '--interrupted goes with --due', {
      hint: 'One run that was cut off: `devflow resume <run>`.',
    });
  }
  budgetIn(flags.budget); // what is wrong with it is said although nothing may be due
  const place = placeOf(flags);
  const runs = await listRuns(place);
  if (named !== undefined && !runs.some(({ id }) => id === named))
    throw nameRun(new DevflowError('RUN_NOT_FOUND', `there is no run "${named}" here`));
  const taken = new Set(flags.interrupted === true ? ['due', 'interrupted'] : ['due']);
  const due = runs.filter(
    ({ id, state }) => taken.has(state) && (named === undefined || id === named),
  );
  // From cron every line is a mail.
  const tell = (text: string) => terminal.err(`${wrap(text, terminal.errWidth)}\n`);
  const say = flags.quiet === true ? () => undefined : tell;
  if (due.length === 0) say(named === undefined ? 'no run is due' : `the run ${named} is not due`);
  const left = runs.filter(
    ({ state }) => !taken.has(state) && (state === 'interrupted' || state === 'unreadable'),
  );
  if (left.length > 0 && named === undefined) say(leftAlone(left));
  await tellAllUntold(
    runs.filter(({ id }) => named === undefined || id === named),
    place,
    say,
  );
  if (due.length === 0) return EXIT.completed;

  const interruption = watchSignals(tell, () => (due.length === 1 ? due[0]?.id : undefined));
  try {
    const codes = await Promise.all(
      due.map(async ({ id, state }) => {
        const own = due.length === 1 || flags.json === true ? terminal : prefixed(terminal, id);
        const { due: _, ...cutOff } = flags; // it waits for no instant
        return goOn(id, state === 'due' ? flags : cutOff, own, interruption, say);
      }),
    );
    return worstOf(codes);
  } finally {
    interruption.close();
  }
}

/** What a devflow that died has told nobody. What is wrong with it keeps no run from going on. */
async function tellAllUntold(
  runs: readonly RunView[],
  place: Place,
  say: (text: string) => void,
): Promise<void> {
  const untold = runs.filter(({ untold: is, heldBy }) => is === true && heldBy === undefined);
  if (untold.length === 0) return;
  const { tellUntold } = await import('@devflow/core');
  const onEvent = (event: RunEvent) => {
    if (event.type === 'note') say(`${event.run}: ${event.text}`);
  };
  await Promise.all(
    untold.map(({ id }) =>
      tellUntold(id, { ...place, onEvent }).catch((error: unknown) =>
        say(`${id}: ${String(error)}`),
      ),
    ),
  );
}

/** One run. What is wrong with it is said, and keeps no other from going on. */
async function goOn(
  id: string,
  flags: ResumeFlags,
  terminal: Terminal,
  interruption: Interruption,
  say: (text: string) => void,
): Promise<ExitCode> {
  try {
    const work = await prepareResume(id, flags);
    return await report(await chooseReporter(flags, terminal), interruption, work);
  } catch (error) {
    if (
      error instanceof DevflowError &&
      (error.code === 'RUN_HELD' || error.code === 'RUN_NOT_DUE')
    ) {
      say(`another devflow goes on with ${id}`);
      return EXIT.completed;
    }
    const shown = describeError(nameRun(error, id));
    if (flags.json === true) terminal.out(`${JSON.stringify({ ...shown, run: id })}\n`);
    else terminal.err(errorText(shown, terminal));
    return error instanceof DevflowError ? exitCodeOfError(error.code) : EXIT.failed;
  }
}

function leftAlone(runs: readonly RunView[]): string {
  const named = runs.map(({ id, state }) => `${id} (${state})`).join(', ');
  return `left alone: ${named}; \`devflow status\` says more`;
}

/** Several runs speak on one terminal: each line says which. */
function prefixed(terminal: Terminal, id: string): Terminal {
  const mark = (text: string) => text.replace(/^(?=.)/gm, `${id}  `);
  const narrower = (width: number) => width - id.length - 2;
  return {
    out: (text) => terminal.out(typeof text === 'string' ? mark(text) : text),
    err: (text) => terminal.err(mark(text)),
    interactive: false,
    get closed() {
      return terminal.closed;
    },
    get width() {
      return narrower(terminal.width);
    },
    get errWidth() {
      return narrower(terminal.errWidth);
    },
    style: terminal.style,
    errStyle: terminal.errStyle,
  };
}
