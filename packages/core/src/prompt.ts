import { cut, readAnswer } from './adapter/index.js';
import { judges } from './answer.js';
import type { CheckResult, Outcome } from './state/records.js';
import { type Attempt, type RunState, type Visit, allAttempts, lastEnded } from './state/fold.js';
import { UNFINISHED } from './policy.js';
import { PHASE_FACTS, renderTemplate } from './workflow/template.js';
import type { Phase, Workflow } from './workflow/workflow.js';

export interface PromptFacts {
  readonly runId: string;
  readonly branch: string;
  readonly base: string;
  readonly task: string;
  /** The change from base to the run's commit; only where the prompt asks for it. */
  readonly diff?: string;
}

/** The whole prompt of an attempt: the phase's own, what happened before, and how to end. */
export function buildPrompt(
  workflow: Workflow,
  phase: Phase,
  state: RunState,
  number: number,
  facts: PromptFacts,
): string {
  const own = renderTemplate(phase.prompt, templateValues(workflow, phase, state, number, facts));
  const visit = state.visits.at(-1);
  const before = visit === undefined ? [] : whatHappened(state, visit);
  return `${[own.trim(), ...before, completionContract(phase)].join('\n\n')}\n`;
}

function templateValues(
  workflow: Workflow,
  phase: Phase,
  state: RunState,
  number: number,
  { runId, branch, base, task, diff }: PromptFacts,
): Map<string, string> {
  const values = new Map([
    ['task', task],
    ['phase.id', `${phase.id}`],
    ['phase.name', phase.name],
    ['phase.attempt', `${number}`],
    ['run.id', runId],
    ['run.branch', branch],
    ['run.base', base],
    ['run.diff', diff ?? ''],
    ...Object.entries(workflow.variables).map(([name, value]) => [`vars.${name}`, value] as const),
  ]);
  for (const { id, name } of workflow.phases) {
    const facts = phaseFacts(lastEnded(state, id), name);
    for (const fact of PHASE_FACTS) values.set(`phases.${name}.${fact}`, facts[fact]);
  }
  return values;
}

/** What a phase passed on. A phase that has not run says so: nothing is not an empty text. */
function phaseFacts(
  ended: Attempt['ended'],
  name: string,
): Record<(typeof PHASE_FACTS)[number], string> {
  if (ended === undefined) {
    const none = `(phase ${name} has not run)`;
    return { summary: none, text: none, outcome: none, reasons: none };
  }
  const said = ended.answer?.summary ?? ended.answer?.reason;
  const text = withoutAnswer(ended.text ?? '') || (said ?? '(it left no text)');
  return {
    summary: said ?? text,
    text,
    outcome: ended.outcome,
    reasons: ended.reasons.map(({ says, text: reason }) => `- ${says}: ${reason}`).join('\n'),
  };
}

/** An answer in the prompt would make the same answer of this phase an echo. */
function withoutAnswer(text: string): string {
  const lines = text.split('\n').filter((line) => readAnswer(line) === undefined);
  return lines.join('\n').trim();
}

/** What the agent must know of earlier attempts: why the run came back here, or why the last one did not count. */
function whatHappened(state: RunState, visit: Visit): string[] {
  return [whatWasFound(state, visit), whatWasTried(visit)].filter((part) => part !== undefined);
}

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
  const reasons = ended.reasons.filter(({ says }) => says !== 'yes').map(({ text }) => `- ${text}`);
  const checks = ended.checks.filter(({ passed }) => !passed).map(checkOutput);
  return [`## ${title}`, intro, reasons.join('\n'), ...checks]
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

/** The template in it is no answer: `<…>` is no status. */
function completionContract(phase: Phase): string {
  const work = [
    phase.requires.includes('commit') &&
      'Commit your work with git on the branch that is checked out.',
    phase.requires.includes('clean') && 'Leave no uncommitted and no untracked files.',
    phase.mode === 'review' &&
      'This is a review: whatever you change in this checkout is thrown away.',
    'Nobody can answer questions; decide, and say what you decided.',
  ].filter((line) => line !== false);
  const verdict = judges(phase) ? '"verdict":"<pass or gaps>",' : '';
  const how = ['## How to finish', work.map((line) => `- ${line}`).join('\n')];
  if (phase.answerBy === 'schema') {
    return [
      ...how,
      'Your final answer is structured, in the form that you are given: its status says whether you reached what was asked for (success), could not (failed), or need not or must not (declined).',
    ].join('\n\n');
  }
  return [
    ...how,
    'End your answer with one line of exactly this form, filled in:',
    `DEVFLOW_RESULT: {"status":"<success, failed or declined>",${verdict}"summary":"<what was done>","reason":"<why, if not success${judges(phase) ? ' or if gaps' : ''}>"}`,
  ].join('\n\n');
}
