import type { GateFacts } from '@devflow/core';
import type { Terminal } from '../terminal.js';
import { attemptLabel, checkLines } from './attempts.js';
import { NO_WAY_BACK, decisions, gateName } from './decisions.js';
import { spentText, usageOfAll } from './spent.js';
import { block, fit, oneLine, plural, printedLine, wrap } from './style.js';
import { ago, elapsed, inLocalTime, localTime, within } from './time.js';

type Layout = Pick<Terminal, 'style' | 'width'>;

/** So many lines of a diffstat, and so many commits, are shown. */
const SHOWN_FILES = 30;
const SHOWN_COMMITS = 10;

const ITSELF = { approve: 'approved', reject: 'rejected', abort: 'ended' };

/** All that is needed to decide, in the order in which it is asked for. */
export function gateText(facts: GateFacts, layout: Layout): string {
  const { style } = layout;
  const parts = [
    headLines(facts, layout),
    problemLines(facts, layout),
    doneLines(facts, layout),
    changeLines(facts, layout),
    wordLines(facts, layout),
    [style.dim('see more:'), ...moreCommands(facts).map((command) => `  ${printedLine(command)}`)],
  ];
  const text = parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `  ${line}`).join('\n'))
    .join('\n\n');
  return `${text.slice(2)}\n`; // the name of the run stands out
}

/** How it can be answered, and what a failed preflight leads to when it is mended. */
export function decisionText({ run, gate, waysBack }: GateFacts): string {
  const { before, commands } = decisions(run, gate, waysBack);
  const mended =
    gate.kind === 'preflight' ? ['when that is mended:', `  devflow resume ${run}`] : [];
  const lines = [...mended, before, ...commands.map((command) => `  ${command}`)];
  return `${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

function headLines(
  { run, task, gate, phase, heldBy, waysBack }: GateFacts,
  { style, width }: Layout,
) {
  const { reason, message, openedAt, until, onTimeout, kind } = gate;
  const field = (name: string, value: string) => `${style.dim(name.padEnd(8))} ${value}`;
  const long = (text: string) => wrap(text, width, ' '.repeat(11));
  const then = onTimeout === undefined ? '' : `, then it is ${ITSELF[onTimeout]}`;
  return [
    `${style.bold(run)}  ${style.yellow(`waits ${gateName({ ...gate, phase: phase.id })}`)}`,
    wrap(inLocalTime(reason), width, '  '),
    ...(message === undefined ? [] : [style.bold(wrap(message, width, '  '))]),
    field('task', fit(oneLine(task), width - 11)),
    field('since', ago(openedAt)),
    ...(until === undefined
      ? []
      : [field('until', `${localTime(until)} (${within(until)})${then}`)]),
    ...(kind === 'preflight' ? [] : [field('rejected', long(rejectedTo(waysBack)))]),
    ...(heldBy === undefined ? [] : [field('devflow', `process ${heldBy} stays for the answer`)]),
  ];
}

function rejectedTo(waysBack: readonly string[]): string {
  const last = waysBack.at(-1);
  if (last === undefined) return `${NO_WAY_BACK}: approve or abort`;
  const others = waysBack.slice(0, -1);
  const named = others.length === 0 ? '' : `, or by --to to ${others.join(', ')}`;
  return `it goes back to ${last}${named}`;
}

function problemLines({ problems }: GateFacts, { style, width }: Layout): string[] {
  return problems.flatMap(({ code, message, hint }) => [
    `${style.red('✖')} ${block(`${message.trim()} (${code})`, width, '    ')}`,
    `  ${block(hint, width, '    ')}`,
  ]);
}

/** The last attempt at each phase, the checks of the last of all, and what all of them cost. */
function doneLines({ attempts, attempt: last, costUsd }: GateFacts, { style, width }: Layout) {
  const latest = attempts.filter(
    ({ phase }, index) => attempts.findLastIndex((other) => other.phase === phase) === index,
  );
  const rows = latest.flatMap((attempt) => {
    const { agent, outcome, durationMs, summary } = attempt;
    const mark = outcome === 'completed' ? style.green('✔') : style.red('✖');
    const spent = spentText(attempt);
    const head = `${attemptLabel(attempt)}  ${agent}  ${outcome} ${elapsed(durationMs)}${spent === '' ? '' : `, ${spent}`}`;
    const said = summary === undefined ? [] : [`  ${wrap(summary, width, '    ')}`];
    return [`${mark} ${head}`, ...said];
  });
  const all = spentText({ ...usageOfAll(attempts), ...(costUsd !== undefined && { costUsd }) });
  const total =
    attempts.length < 2
      ? []
      : [`${plural(attempts.length, 'attempt')} in all${all === '' ? '' : `, ${all}`}`];
  const checks = (last?.checks ?? []).map(({ name, passed, ended }) => {
    const mark = passed ? style.green('✔') : style.red('✖');
    return `  ${mark} check "${fit(oneLine(name), 60)}" ${passed ? 'passed' : oneLine(ended)}`;
  });
  return [...rows, ...checks, ...(last === undefined ? [] : checkLines(last, style)), ...total];
}

function changeLines({ commits, branch, base, diffstat }: GateFacts, { style, width }: Layout) {
  const from = base.slice(0, 10);
  const shown = commits.slice(-SHOWN_COMMITS).map(({ hash, subject }) => {
    const short = hash.slice(0, 10);
    return `  ${style.yellow(short)} ${fit(oneLine(subject), width - short.length - 5)}`;
  });
  const left = commits.length - shown.length;
  const stat = (diffstat ?? '').split('\n').map(printedLine).filter(Boolean);
  const files =
    stat.length <= SHOWN_FILES ? stat : [...stat.slice(0, SHOWN_FILES), stat.at(-1) ?? ''];
  const hidden = stat.length - files.length;
  const changed =
    diffstat === undefined
      ? [style.dim(`what changed since ${from} is not known here: git could not say`)]
      : stat.length === 0
        ? [style.dim(`nothing has changed since ${from}`)]
        : files.map((line) => ` ${fit(line, width - 3)}`);
  return [
    `${plural(commits.length, 'commit')} on ${oneLine(branch)} since ${from}${commits.length === 0 ? '' : ':'}`,
    ...(left > 0 ? [`  ${plural(left, 'earlier commit')} and`] : []),
    ...shown,
    ...changed,
    ...(hidden > 0 ? [style.dim(`  ${plural(hidden, 'more file')} in the diff`)] : []),
  ];
}

function wordLines({ lastWords, attempt }: GateFacts, { style, width }: Layout): string[] {
  if (lastWords === undefined || attempt === undefined) return [];
  const words = block(lastWords, width, '    ');
  return [style.dim(`the last that ${attempt.agent} said:`), `  ${words}`];
}

function moreCommands({ run, base, branch, commits, worktree }: GateFacts): string[] {
  const diff = commits.length === 0 ? [] : [`git diff ${base.slice(0, 10)} ${branch}`];
  const place =
    worktree === undefined ? [] : [`cd '${worktree.replaceAll("'", String.raw`'\''`)}'`];
  return [...diff, `devflow logs ${run}`, `devflow status ${run}`, ...place];
}
