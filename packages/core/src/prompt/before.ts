import { cut } from '../adapter/index.js';
import { UNFINISHED } from '../policy/consequence.js';
import { foundGaps } from '../policy/setback.js';
import type { Attempt, RunState, Visit } from '../state/fold.js';
import { fenced } from './fenced.js';
import { withoutAnswer } from './without-answer.js';
import type { CheckResult, Decision, Outcome } from '../state/records.js';
import type { LoopName } from '../workflow/loop.js';

/** What the agent must know of earlier attempts: why the run came back here, or why the last one did not count. */
export function whatHappened(state: RunState, visit: Visit, isReview: boolean): string[] {
  return [
    whatPersonsSaid(state),
    whatWasFound(state, visit),
    whatWasTried(state, visit, isReview),
  ].filter((part) => part !== undefined);
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

/** The visit with which a loop began: this one, or the one before it where that phase was skipped. */
function loopStart(visits: readonly Visit[]): Visit | undefined {
  const own = visits.at(-1);
  const before = visits.slice(0, -1);
  const worked = before.findLastIndex(({ skipped }) => skipped === undefined);
  return [own, ...before.slice(worked + 1).toReversed()].find(
    (visit) => visit?.sentBackBy !== undefined,
  );
}

/** The attempt that sent the run back. */
function senderOf({ visits }: RunState, start: Visit | undefined): Attempt | undefined {
  if (start === undefined) return undefined;
  const before = visits.slice(0, visits.indexOf(start)).flatMap(({ attempts }) => attempts);
  return before.findLast(({ phase, ended }) => phase === start.sentBackBy && ended !== undefined);
}

/** For every attempt of the visit: one that stopped early has mended nothing. */
function whatWasFound(state: RunState, { phase, attempts }: Visit): string | undefined {
  const start = loopStart(state.visits);
  const sender = senderOf(state, start);
  if (sender?.ended === undefined) return undefined;
  const isOwn = sender.phase === phase;
  // Of a phase that goes back to itself it is told as what happened before, until it was tried again.
  if (isOwn && attempts.every(({ ended }) => ended === undefined)) return undefined;
  const { text = '', outcome } = sender.ended;
  const words = withoutAnswer(text).slice(-FINDINGS_SHOWN).trim();
  const found = section(
    'What was found',
    introOf(start?.loop ?? 'onGaps', outcome, isOwn),
    sender.ended,
  );
  return words === '' || isOwn ? found : `${found}\n\nIn its own words:\n\n${fenced(words)}`;
}

/** Work that is wrong is told from work that nobody has judged: then there is perhaps nothing to mend. */
function introOf(loop: LoopName, outcome: Outcome, isOwn: boolean): string {
  const who = isOwn ? 'This phase' : 'A later phase';
  if (loop === 'onGaps' && !isOwn)
    return 'A later phase found gaps in this work and sent it back. Mend what is named here.';
  if (loop !== 'onFailed')
    return `${who} was not accepted, and so the run came back here. Mend what is named here.`;
  const how = UNFINISHED.has(outcome)
    ? 'stopped early, and so the run came back here: that does not say that anything is wrong.'
    : 'could not do its part, and so the run came back here.';
  return `${who} ${how} Find out whether this work is the cause, and mend it only if it is.`;
}

/** The last attempt whole, those before it in a line each, over all visits. */
function whatWasTried(
  state: RunState,
  { phase, attempts }: Visit,
  isReview: boolean,
): string | undefined {
  const sender = senderOf(state, loopStart(state.visits));
  const own = attempts.filter(({ ended }) => ended !== undefined).at(-1);
  const last = own ?? (sender?.phase === phase ? sender : undefined);
  const others = earlierAttempts(state, phase).filter(
    ({ attempt }) => attempt !== last && attempt !== sender,
  );
  const lines = others
    .slice(-ATTEMPTS_SHOWN)
    .map(({ attempt, ledTo }) => lineOf(attempt, ledTo))
    .join('\n');
  const repeats = others.every(({ ledTo }) => ledTo === SILENCE)
    ? 'Look at what is there, and go on from that.'
    : 'Do not repeat what did not work.';
  if (last?.ended === undefined)
    return lines === '' ? undefined : `## What was tried before\n\n${lines}\n\n${repeats}`;
  const { outcome } = last.ended;
  const intro = [
    UNFINISHED.has(outcome)
      ? `An earlier attempt at this phase stopped early. ${isReview ? NOTHING_LEFT : STILL_THERE}`
      : 'An earlier attempt at this phase was not accepted. Mend what is named here.',
    (isReview ? ADVICE : ADVICE_FOR_WORK)[outcome],
  ].filter((sentence) => sentence !== undefined);
  const found = section('What happened before', intro.join(' '), last.ended);
  if (lines === '') return found;
  return `${found}\n\nThat was attempt ${last.attempt}; before it:\n\n${lines}\n\n${repeats}`;
}

const STILL_THERE =
  'What it committed or left in the working tree is still there: look at it, and go on from there.';
/** The checkout of a review is thrown away. */
const NOTHING_LEFT = 'Nothing of what it did is left: begin anew.';

/** The attempts at a phase that have ended, each with what it led to where that was a way back. What this loop began with is left out: it is told whole. */
function earlierAttempts({ visits, gates }: RunState, phase: number) {
  const start = loopStart(visits);
  const silent = new Set(
    gates.filter(({ decided }) => decided?.by === 'timeout').map(({ gate }) => gate),
  );
  return visits.flatMap((visit, index) => {
    if (visit.phase !== phase) return [];
    const after = visits.slice(index + 1);
    const back = after.find(
      ({ sentBackBy, gate }) => sentBackBy !== undefined || gate !== undefined,
    );
    return visit.attempts.flatMap((attempt) => {
      const isDone = attempt.ended?.outcome === 'completed';
      if (attempt.ended === undefined || isFinding(attempt.ended, visit, after[0])) return [];
      if (isDone && (back === undefined || back === start)) return [];
      const isSilence = back?.gate !== undefined && silent.has(back.gate);
      return [{ attempt, ledTo: isDone ? (isSilence ? SILENCE : back?.because) : undefined }];
    });
  });
}

const SILENCE =
  'nobody said in time whether it is good, and so the run came back: that does not say that anything is wrong';

/** Gaps in the work of another phase: it did its part, and there is nothing in it to be avoided. */
function isFinding(
  ended: NonNullable<Attempt['ended']>,
  { phase }: Visit,
  next: Visit | undefined,
): boolean {
  const isBack = next?.sentBackBy === phase && next.phase !== phase;
  return isBack && ended.outcome === 'rejected' && foundGaps(ended);
}

function lineOf({ attempt, ended }: Attempt, ledTo: string | undefined): string {
  const said = ledTo === undefined ? ended && why(ended) : `then ${cut(oneLine(ledTo), WHY_SHOWN)}`;
  return `- attempt ${attempt}, ${ended?.outcome ?? ''}: ${said ?? ''}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** How many attempts before the last one are named. */
const ATTEMPTS_SHOWN = 4;
/** How much of each. */
const WHY_SHOWN = 200;

function why({ reasons }: NonNullable<Attempt['ended']>): string {
  const said = reasons.filter(({ says }) => says !== 'yes').map(({ text }) => oneLine(text));
  return cut(said.join('; '), WHY_SHOWN);
}

/** What to do otherwise than the attempt that came to this, where its reason alone does not say so. */
const ADVICE: Readonly<Partial<Record<Outcome, string>>> = {
  idle: 'It waited for something that did not come: start nothing that asks, watches or serves without an end.',
  crashed: 'If a command of yours ended it or used up the memory, do it in another way.',
  'over-budget': 'Spend less: read and print only what you need.',
};
const ADVICE_FOR_WORK: typeof ADVICE = {
  ...ADVICE,
  'timed-out': 'Commit what is done as you go, and start nothing that runs longer than it must.',
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
