import type { AgentEvent, Gate, Problem, Reason, RunEvent } from '@devflow/core';
import { type Answer, readAnswer } from '@devflow/core/adapter';
import { block, fit, oneLine, plural } from '../text/style.js';
import type { Terminal } from '../terminal.js';
import { elapsed, inLocalTime, localTime, within } from '../text/time.js';

/** Who keeps the agent from doing harm; the first line of every run. */
export function sandboxLine(sandbox: string): string {
  return sandbox === 'none'
    ? 'sandbox: none — the agent can do whatever you can'
    : "sandbox: own — the agent's own sandbox confines it";
}

/** What is said at the beginning: confinement first. */
export function openingLines(
  event: Extract<RunEvent, { type: 'run-started' | 'run-resumed' }>,
): string[] {
  const { base, phases, branch, task, workflow, sandbox, run, type } = event;
  const from = `${base.branch === undefined ? '' : `${base.branch} at `}${base.commit.slice(0, 10)}`;
  const names = phases.map(({ id, name }) => `${id} ${name}`).join(', ');
  return [
    sandboxLine(sandbox),
    `${type === 'run-resumed' ? 'resumed' : 'run'} ${run}: ${oneLine(task)}`,
    `branch ${branch}, from ${from}`,
    // Without a name of its own it is called that.
    `${workflow === 'workflow' ? 'workflow' : `workflow ${workflow}`}: ${names}`,
  ];
}

/** So much of what an agent says in one piece is shown. */
const SHOWN_CHARACTERS = 300;

/** What an agent does, in a few words, and its answer by itself; empty where it is nothing to tell. */
export function activities({ kind, name, summary, file, cmd, text }: AgentEvent): string[] {
  if (kind === 'session' || kind === 'prompt' || kind === 'usage' || kind === 'idle') return [];
  if (kind === 'text') return spoken(text ?? summary, text !== undefined);
  const words = oneLine(summary || cmd || file || '');
  // An event that has nothing but its own name says nothing to a person.
  const isNoise = words === '' || ((kind === 'other' || kind === 'attention') && words === name);
  return isNoise ? [] : [words];
}

/** The same in one line: the last of it. */
export function activity(event: AgentEvent): string | undefined {
  return activities(event).at(-1);
}

/** @param isWhole is it all that was said, and not one line of it, which may be cut? */
function spoken(said: string, isWhole: boolean): string[] {
  const structured = isWhole ? readAnswer(`DEVFLOW_RESULT: ${said.trim()}`) : undefined;
  if (structured !== undefined) return [answerWords(structured)];
  const lines = said.split('\n');
  const answers = lines.map((line) => readAnswer(line) ?? readCutAnswer(line));
  const at = answers.findLastIndex((found) => found !== undefined);
  const answer = answers[at];
  const words = fit(oneLine(lines.filter((_, index) => index !== at).join(' ')), SHOWN_CHARACTERS);
  return [...(words === '' ? [] : [words]), ...(answer === undefined ? [] : [answerWords(answer)])];
}

/** The agent's answer, which is written for devflow, as people read it. For show only: the core judges it. */
function answerWords({ status, verdict, reason, summary }: Answer): string {
  const said = [status, verdict].filter((word) => word !== undefined).join(', ');
  const why = oneLine(reason ?? summary ?? '');
  return `answers ${said}${why === '' ? '' : `: ${why}`}`;
}

/** What is left of an answer that is longer than what is kept of a line: it is cut in its last words. */
function readCutAnswer(words: string): Answer | undefined {
  return words.endsWith('…') ? readAnswer(words.replace(/\\?…$/, '…"}')) : undefined;
}

/** Kinds that a log keeps: what was changed and run, not every look at a file. */
const NOTABLE = new Set<AgentEvent['kind']>([
  'edit', 'command', 'test', 'check', 'git', 'plan', 'subagent', 'web', 'attention', 'error', 'text',
]); // prettier-ignore

export function isNotable({ kind, running }: AgentEvent): boolean {
  return running !== true && NOTABLE.has(kind);
}

export function problemLines(
  problems: readonly Problem[],
  { style, width }: Pick<Terminal, 'style' | 'width'>,
): string[] {
  return problems.flatMap(({ code, message, hint }) => [
    `${style.red('✖')} ${block(`${message.trim()} (${code})`, width, '  ')}`,
    `  ${block(hint, width, '  ')}`,
  ]);
}

/** `completed in 12s, 2 commits` or `rejected after 3s: check "npm test" failed (exit 1)`. */
export function attemptLine({
  outcome,
  reasons,
  commits,
  durationMs,
}: Extract<RunEvent, { type: 'attempt-ended' }>): string {
  const took = elapsed(durationMs);
  if (outcome !== 'completed') return `${outcome} after ${took}: ${whyNot(reasons)[0] ?? ''}`; // the report has them all
  const made = commits.length === 0 ? '' : `, ${plural(commits.length, 'commit')}`;
  return `completed in ${took}${made}`;
}

/** The grounds on which an attempt was not accepted. */
function whyNot(reasons: readonly Reason[]): string[] {
  return reasons.filter(({ says }) => says !== 'yes').map(({ text }) => inLocalTime(oneLine(text)));
}

/** `again in 8s` */
export function againIn({ ms }: Extract<RunEvent, { type: 'retry-pause' }>): string {
  return `again in ${elapsed(ms)}`;
}

export function waitingLine({
  reason,
  until,
  stays,
  gate,
}: Pick<
  Extract<RunEvent, { type: 'run-waiting' }>,
  'reason' | 'until' | 'stays' | 'gate'
>): string {
  if (gate !== undefined) return gateLine(gate, stays === true);
  const goesOn = stays === true ? ', and going on then' : '';
  const when = until === undefined ? '' : ` ${waitsUntil(until)}${goesOn}`;
  return `waiting${when}: ${inLocalTime(oneLine(reason), until)}`;
}

/** `waiting for a person: phase 2 code begins once it is approved; without an answer until … it is rejected` */
function gateLine(gate: Gate, stays: boolean): string {
  return `waiting for a person${stays ? ', and staying for the answer' : ''}: ${askedLine(gate)}`;
}

/** What is asked, and what comes of it where nobody answers in time. */
export function askedLine({ reason, message, until, onTimeout }: Gate): string {
  const asked = message === undefined ? reason : `${reason} (${message})`;
  const itself =
    onTimeout && `; without an answer ${waitsUntil(until ?? '')} it is ${DECIDED[onTimeout]}`;
  return `${oneLine(asked)}${itself ?? ''}`;
}

const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  abort: 'aborted',
  recheck: 'looked at again',
};

/** `approved: fine by me`, `rejected, as nobody answered in time` */
export function decidedLine({
  decision,
  by,
  note,
}: Pick<Extract<RunEvent, { type: 'gate-decided' }>, 'decision' | 'by' | 'note'>): string {
  const nobody = by === 'timeout' ? ', as nobody answered in time' : '';
  return `${DECIDED[decision]}${nobody}${note === undefined ? '' : `: ${oneLine(note)}`}`;
}

/** `until 2026-11-30 14:28 UTC+1 (in 1h 3m)` */
export function waitsUntil(instant: string): string {
  return `until ${localTime(instant)} (${within(instant)})`;
}
