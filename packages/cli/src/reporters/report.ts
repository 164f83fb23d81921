import { existsSync } from 'node:fs';
import type { RunResult } from '@devflow/core';
import { undeliveredText } from '@devflow/core/status';
import {
  attemptLabel,
  checkLines,
  detailLines,
  madeToPass,
  outputPlace,
  skippedLine,
} from '../text/attempts.js';
import { budgetFlag, budgetLines } from '../text/budget.js';
import { spentText, usageOfAll } from '../text/spent.js';
import { type Style, fit, foldColumns, oneLine, plural, printedLine, wrap } from '../text/style.js';
import { elapsed, inLocalTime, localTime } from '../text/time.js';
import type { RunFacts } from './facts.js';
import { decisions } from '../text/decisions.js';
import { groundLines } from '../text/reasons.js';
import { askedLine, problemLines } from './lines.js';

export interface ReportLayout {
  readonly style: Style;
  readonly width: number;
}

/** The final report: outcome and evidence, what was made, where it is, what to do next. */
export function finalReport(
  result: RunResult,
  facts: RunFacts | undefined,
  layout: ReportLayout,
): string {
  const parts = [
    outcomeLines(result, facts, layout),
    [...attemptLines(result, layout), ...skippedLines(result, layout)],
    result.waitingFor === 'preflight' ? problemLines(result.problems, layout) : [],
    undeliveredLines(result, layout),
    commitLines(result, layout),
    placeLines(result, facts, layout.style),
    nextLines(result, layout),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function outcomeLines(
  result: RunResult,
  facts: RunFacts | undefined,
  { style, width }: ReportLayout,
): string[] {
  const { state, reason, runId, until, costUsd, attempts, gate } = result;
  const paint = {
    completed: style.green,
    failed: style.red,
    stopped: style.yellow,
    waiting: style.yellow,
  };
  const took =
    facts === undefined ? '' : ` after ${elapsed((facts.endedAt ?? Date.now()) - facts.startedAt)}`;
  const when = until === undefined ? '' : ` until ${localTime(until)}`;
  const head = `${state}${gate === undefined ? when : ' for a person'}`;
  const why = gate === undefined ? inLocalTime(reason, until) : askedLine(gate);
  const all = spentText({ ...usageOfAll(attempts), ...(costUsd !== undefined && { costUsd }) });
  const spent = all === '' ? '' : `, ${all} by the agents' own account`;
  return [
    wrap(`${head}: run ${runId}${took}${spent}`, width, '  ').replace(head, (words) =>
      style.bold(paint[state](words)),
    ),
    ...(state === 'completed' || reason === '' ? [] : [wrap(why, width)]),
    ...budgetLines(result).map((text) => wrap(`budget: ${text}`, width, '  ')),
  ];
}

function attemptLines(
  { attempts, state, until }: RunResult,
  { style, width }: ReportLayout,
): string[] {
  const labels = attempts.map(attemptLabel);
  const widest = (words: readonly string[]) => Math.max(0, ...words.map((word) => word.length));
  const columns = { label: widest(labels), agent: widest(attempts.map(({ agent }) => agent)) };
  const lines = attempts.flatMap((attempt, index) => {
    const { agent, outcome, reasons, summary, durationMs } = attempt;
    const done = outcome === 'completed';
    const mark = done ? style.green('✔') : style.red('✖');
    const who = `${(labels[index] ?? '').padEnd(columns.label)}  ${agent.padEnd(columns.agent)}`;
    const head = `${who}  ${outcome} ${elapsed(durationMs)}`;
    const [beside, ...below] = summaryLines(done ? oneLine(summary ?? '') : '', head, width);
    return [
      `${mark} ${head}${beside === undefined || beside === '' ? '' : `  ${style.dim(beside)}`}`,
      ...[...below, ...madeToPass(attempt)].map((text) => `    ${text}`),
      ...groundLines(reasons, { style, width }, until),
      ...detailLines(attempt, style),
      ...[spentText(attempt)].filter(Boolean).map((text) => style.dim(`    ${text}`)),
      ...checkLines(attempt, style),
    ];
  });
  return state === 'completed' ? lines : [...lines, ...outputPlace(attempts)];
}

function skippedLines({ skipped }: RunResult, { style, width }: ReportLayout): string[] {
  return skipped.map((each) => `${style.dim('-')} ${wrap(skippedLine(each), width, '    ')}`);
}

/** Cut beside the head on a terminal; in a log whole, below it where it is too long for that. */
function summaryLines(summary: string, head: string, width: number): string[] {
  const room = foldColumns(width) - head.length - 4;
  if (width !== Infinity || summary.length <= room) return [fit(summary, Math.max(10, room))];
  return ['', wrap(summary, width, '    ')];
}

function undeliveredLines(
  { undelivered = [] }: RunResult,
  { style, width }: ReportLayout,
): string[] {
  return undelivered.map((each) => style.red(wrap(undeliveredText(each), width, '  ')));
}

function commitLines(
  { commits, branch, base, attempts }: RunResult,
  { style, width }: ReportLayout,
): string[] {
  // Of an attempt that was on another branch, or wrote the branch anew, what it made is not counted.
  const unknown = attempts.some(({ outcome, reasons }) =>
    reasons.some(
      ({ evidence, says }) =>
        evidence === 'git' && (says === 'unknown' || (says === 'no' && outcome === 'rejected')),
    ),
  );
  if (commits.length === 0) {
    const ask = `git log --oneline ${base.slice(0, 10)}..${branch}`;
    const words = unknown
      ? `what is on ${branch} is not known here: ${ask}`
      : `no commits on ${branch}`;
    return [style.dim(printedLine(words))];
  }
  return [
    `${plural(commits.length, 'commit')} on ${oneLine(branch)}:`,
    ...commits.map(({ hash, subject }) => {
      const short = hash.slice(0, 10);
      return `  ${style.yellow(short)} ${fit(oneLine(subject), width - short.length - 3)}`;
    }),
  ];
}

/** How to look at it. A branch that a worktree has cannot be switched to elsewhere. */
function placeLines(
  { branch, base, worktree, commits }: RunResult,
  facts: RunFacts | undefined,
  style: Style,
): string[] {
  const kept = worktree !== undefined && existsSync(worktree);
  const from = facts?.baseBranch ?? base.slice(0, 10);
  const look =
    commits.length === 0
      ? []
      : [`git log --oneline ${from}..${branch}`, `git diff ${from}...${branch}`];
  const go = kept ? [`cd ${quote(worktree)}`] : commits.length > 0 ? [`git switch ${branch}`] : [];
  const lines = [...look, ...go].map((command) => `  ${printedLine(command)}`);
  return lines.length === 0
    ? []
    : [style.dim(kept ? 'look at it (the worktree is kept):' : 'look at it:'), ...lines];
}

/** What to do now, where there is anything to do. */
function nextLines(result: RunResult, { width }: ReportLayout): string[] {
  const { state, runId, waitingFor, until } = result;
  if (state === 'completed') return [];
  const resume = `  devflow resume ${runId}${budgetFlag(result)}`;
  const logs = `  devflow logs ${runId}`;
  if (waitingFor === 'preflight') {
    const copy =
      'A run keeps its own copy of the configuration: after a change of the configuration start a new run.';
    return ['when that is mended:', resume, wrap(copy, width), ...decisionLines(result)];
  }
  if (waitingFor === 'gate') return decisionLines(result);
  if (waitingFor === 'login') return ['when the agent is logged in again:', resume];
  if (waitingFor === 'reset') {
    const due =
      until === undefined
        ? []
        : ['or for all runs, from cron or a timer:', '  devflow resume --due'];
    return ['when the limit has ended:', resume, ...due];
  }
  return [wrap('what the agents did, and how to try again from here:', width), logs, resume];
}

/** What can be answered at the gate. Answered, it needs only somebody who goes on. */
function decisionLines({ runId, gate, waysBack }: RunResult): string[] {
  if (gate === undefined) return ['it is answered, and goes on by:', '  devflow resume --due'];
  const { before, commands } = decisions(runId, gate, waysBack);
  const all = gate.kind === 'preflight' ? commands : [`devflow gates ${runId}`, ...commands];
  return [before, ...all.map((command) => `  ${command}`)];
}

/** As a shell takes it for one word. */
function quote(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
