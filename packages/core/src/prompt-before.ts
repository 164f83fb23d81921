import { cut } from './adapter/index.js';
import { UNFINISHED } from './consequence.js';
import { type Attempt, type RunState, type Visit, allAttempts } from './state/fold.js';
import type { CheckResult, Decision, Outcome } from './state/records.js';

/** What the agent must know of earlier attempts: why the run came back here, or why the last one did not count. */
export function whatHappened(state: RunState, visit: Visit): string[] {
  return [whatPersonsSaid(state), whatWasFound(state, visit), whatWasTried(visit)].filter(
    (part) => part !== undefined,
  );
}

/** What was said at gates since the visit before this one: to whoever works next. */
function whatPersonsSaid({ gates, visits }: RunState): string | undefined {
  const before = visits.slice(0, -1).findLastIndex(({ attempts }) => attempts.length > 0);
  const said = gates.flatMap(({ visits: at, decided }) =>
    at > before && decided?.note !== undefined ? [{ ...decided, note: decided.note }] : [],
  );
  if (said.length === 0) return undefined;
  const words = said.map(({ decision, note }) => `${SAID[decision]}:\n\n${fenced(note)}`);
  return ['## What a person said', ...words].join('\n\n');
}

const SAID: Readonly<Record<Decision, string>> = {
  approve: 'A person looked at the work so far and approved it, with these words',
  reject: 'A person looked at the work so far and rejected it. Mend what they name',
  recheck: 'A person had the conditions looked at again, with these words',
  abort: 'A person had ended the run before they went on with it, with these words',
};

/** For every attempt of the visit: one that stopped early has mended nothing. */
function whatWasFound(state: RunState, { sentBackBy, attempts }: Visit): string | undefined {
  if (sentBackBy === undefined) return undefined;
  const before = allAttempts(state).slice(0, attempts.length === 0 ? undefined : -attempts.length);
  const sender = before.findLast(({ phase, ended }) => phase === sentBackBy && ended !== undefined);
  if (sender?.ended === undefined) return undefined;
  const intro = 'A later phase found gaps in this work and sent it back. Mend what is named here.';
  const { text = '' } = sender.ended;
  const words = text.slice(-FINDINGS_SHOWN).trim();
  const found = section('What was found', intro, sender.ended);
  return words === '' ? found : `${found}\n\nIn its own words:\n\n${fenced(words)}`;
}

/** The last attempt whole, those before it in a line each. */
function whatWasTried({ attempts }: Visit): string | undefined {
  const tried = attempts.flatMap(({ attempt, ended }) =>
    ended === undefined ? [] : [{ attempt, ended }],
  );
  const last = tried.at(-1);
  if (last === undefined) return undefined;
  const { outcome } = last.ended;
  const intro = [
    UNFINISHED.has(outcome)
      ? 'An earlier attempt at this phase stopped early. What it committed or left in the working tree is still there: look at it, and go on from there.'
      : 'An earlier attempt at this phase was not accepted. Mend what is named here.',
    ADVICE[outcome],
  ].filter((sentence) => sentence !== undefined);
  const found = section('What happened before', intro.join(' '), last.ended);
  const others = tried.slice(0, -1).slice(-ATTEMPTS_SHOWN);
  if (others.length === 0) return found;
  const lines = others.map(
    ({ attempt, ended }) => `- attempt ${attempt}, ${ended.outcome}: ${why(ended)}`,
  );
  const repeats = 'Do not repeat what did not work.';
  return `${found}\n\nThat was attempt ${last.attempt}; before it:\n\n${lines.join('\n')}\n\n${repeats}`;
}

/** How many attempts before the last one are named. */
const ATTEMPTS_SHOWN = 4;
/** How much of each. */
const WHY_SHOWN = 200;

function why({ reasons }: NonNullable<Attempt['ended']>): string {
  const said = reasons
    .filter(({ says }) => says !== 'yes')
    .map(({ text }) => text.replace(/\s+/g, ' '));
  return cut(said.join('; '), WHY_SHOWN);
}

/** What to do otherwise than the attempt that came to this, where its reason alone does not say so. */
const ADVICE: Readonly<Partial<Record<Outcome, string>>> = {
  'timed-out': 'Commit what is done as you go, and start nothing that runs longer than it must.',
  idle: 'It waited for something that did not come: start nothing that asks, watches or serves without an end.',
  crashed: 'If a command of yours ended it or used up the memory, do it in another way.',
  'over-budget': 'Spend less: read and print only what you need.',
  'no-change': 'A change was due: make it and commit it, or answer that it is declined and why.',
  failed: 'What it did up to then is still there.',
};

function section(title: string, intro: string, ended: NonNullable<Attempt['ended']>): string {
  const objections = ended.reasons.filter(({ says }) => says !== 'yes');
  const reasons = objections.map(({ text }) => `- ${text}`);
  const details = objections.flatMap(({ detail }) =>
    detail === undefined ? [] : [`What was changed:\n\n${fenced(detail.trimEnd())}`],
  );
  const checks = ended.checks.filter(({ passed }) => !passed).map(checkOutput);
  return [`## ${title}`, intro, reasons.join('\n'), ...details, ...checks]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** How much of the words of the phase that found gaps the next attempt is shown, in characters. */
const FINDINGS_SHOWN = 8_000;
/** How much of a check's output the next attempt is shown, in characters. */
const CHECK_OUTPUT_SHOWN = 4_000;

function checkOutput({ name, ended, output }: CheckResult): string {
  const end = output.slice(-CHECK_OUTPUT_SHOWN).trim();
  return `The check "${name}" failed (${ended}). The end of its output:\n\n${fenced(end)}`;
}

/** Between fences that are longer than any within. */
function fenced(text: string): string {
  const ticks = [...text.matchAll(/`+/g)].map(([found]) => found.length + 1);
  const fence = '`'.repeat(Math.max(3, ...ticks));
  return `${fence}\n${text}\n${fence}`;
}
