import type { AgentEvent, Problem, Reason, RunEvent } from '@devflow/core';
import { type Answer, readAnswer } from '@devflow/core/adapter';
import { block, oneLine, plural } from '../text/style.js';
import type { Terminal } from '../terminal.js';
import { elapsed, localTime } from '../text/time.js';

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

/** What an agent does, in a few words; undefined where it is nothing to tell. */
export function activity({ kind, summary, file, cmd }: AgentEvent): string | undefined {
  if (kind === 'session' || kind === 'prompt' || kind === 'usage' || kind === 'idle')
    return undefined;
  const words = oneLine(summary || cmd || file || '');
  return words === '' ? undefined : (answerWords(words) ?? words);
}

/** The agent's answer, which is written for devflow, as people read it. For show only: the core judges it. */
function answerWords(words: string): string | undefined {
  const { status, verdict, reason, summary } = readAnswer(words) ?? readCutAnswer(words);
  if (status === undefined) return undefined; // no answer: broken, or the template of the prompt
  const said = [status, verdict].filter((word) => word !== undefined).join(', ');
  const why = oneLine(reason ?? summary ?? '');
  return `answers ${said}${why === '' ? '' : `: ${why}`}`;
}

/** What is left of an answer that is longer than what is kept of a line: it is cut in its last words. */
function readCutAnswer(words: string): Partial<Answer> {
  return words.endsWith('…') ? (readAnswer(words.replace(/\\?…$/, '…"}')) ?? {}) : {};
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
export function whyNot(reasons: readonly Reason[]): string[] {
  return reasons.filter(({ says }) => says !== 'yes').map(({ text }) => oneLine(text));
}

export function waitingLine({
  reason,
  until,
}: {
  readonly reason: string;
  readonly until?: string;
}): string {
  return `waiting${until === undefined ? '' : ` until ${localTime(until)}`}: ${oneLine(reason)}`;
}
