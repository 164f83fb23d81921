import { existsSync } from 'node:fs';
import type { RunView } from '@devflow/core';
import { type RunStatus, undeliveredText } from '@devflow/core/status';
import type { Terminal } from '../terminal.js';
import { attemptLabel, checkLines, outputPlace, skippedLine } from './attempts.js';
import { type Style, block, fit, oneLine, printedLine, wrap } from './style.js';
import { groundLines } from './reasons.js';
import { budgetFlag, budgetLines } from './budget.js';
import { gateName } from './decisions.js';
import { spentText } from './spent.js';
import { ago, elapsed, inLocalTime, localTime, within } from './time.js';

export function paintState(state: RunView['state'], style: Style): string {
  switch (state) {
    case 'completed':
      return style.green(state);
    case 'failed':
    case 'interrupted':
    case 'unreadable':
      return style.red(state);
    case 'running':
      return style.bold(state);
    case 'waiting':
    case 'due':
    case 'stopped':
      return style.yellow(state);
    default:
      return state satisfies never;
  }
}

/** The phase that a run is in, or was in last: `2 code`, or `2 code, skipped`; empty before the first. */
export function phaseText({ phase, attempt, skipped }: RunView): string {
  if (phase === undefined) return '';
  const isSkipped = attempt === undefined && skipped.at(-1)?.phase === phase.id;
  return `${phase.id} ${phase.name}${isSkipped ? ', skipped' : ''}`;
}

/** A run as `devflow status` shows it. */
export function statusText(run: RunStatus, { style, width }: Terminal): string {
  const { id, state, reason, task, branch, startedAt, endedAt, until } = run;
  const { worktree, heldBy, lastWords, gate } = run;
  const field = (name: string, value: string) => `  ${style.dim(name.padEnd(8))} ${value}`;
  const attempt = run.attempt === undefined ? '' : `, attempt ${run.attempt}`;
  const at = `${phaseText(run) || 'none so far'}${attempt}`;
  const took =
    startedAt !== undefined && endedAt !== undefined
      ? `, took ${elapsed(Date.parse(endedAt) - Date.parse(startedAt))}`
      : '';
  const lines = [
    `${style.bold(id)}  ${paintState(state, style)}`,
    `  ${wrap(inLocalTime(reason, until), width, '  ')}`,
    ...(lastWords === undefined
      ? []
      : [`  ${wrap(`the last that it said: ${lastWords}`, width, '  ')}`]),
    field('task', fit(oneLine(task), width - 11)),
    field('phase', at),
    field('started', `${ago(startedAt) || 'not yet'}${took}`),
    ...(until === undefined ? [] : [field('until', `${localTime(until)} (${within(until)})`)]),
    ...(gate === undefined
      ? []
      : [field('gate', `${gateName(gate)}, since ${ago(gate.openedAt)}`)]),
    ...(gate?.message === undefined ? [] : [field('', wrap(gate.message, width, ' '.repeat(11)))]),
    ...(heldBy === undefined || endedAt !== undefined
      ? []
      : [field('devflow', `process ${heldBy}`)]),
    field('branch', oneLine(branch)),
    ...budgetLines(run).map((text) => field('budget', text)),
    ...(worktree !== undefined && existsSync(worktree)
      ? [field('worktree', printedLine(worktree))]
      : []),
    ...attemptRows(run, { style, width }),
    ...run.skipped.map((each) => `  ${style.dim('-')} ${wrap(skippedLine(each), width, '    ')}`),
    ...(state === 'waiting' ? problemRows(run, width) : []),
    ...(run.undelivered ?? []).map((each) => `  - ${wrap(undeliveredText(each), width, '    ')}`),
    ...nextRow(run, style),
  ];
  return `${lines.join('\n')}\n`;
}

function attemptRows(
  { attempts, state }: RunStatus,
  { style, width }: Pick<Terminal, 'style' | 'width'>,
): string[] {
  const rows = attempts.flatMap((each) => {
    const { attempt, agent, outcome, durationMs } = each;
    const mark = outcome === 'completed' ? style.green('✔') : style.red('✖');
    const said = `${attemptLabel(each)}, attempt ${attempt}, ${agent}: ${outcome} in ${elapsed(durationMs)}`;
    const text = [said, spentText(each)].filter(Boolean).join(', ');
    return [
      `  ${mark} ${wrap(text, width, '    ')}`,
      ...groundLines(each.reasons, { style, width }),
      ...checkLines(each, style),
    ];
  });
  return state === 'completed' ? rows : [...rows, ...outputPlace(attempts)];
}

function problemRows({ problems }: RunStatus, width: number): string[] {
  return problems.flatMap(({ code, message, hint }) => [
    `  - ${block(`${message.trim()} (${code})`, width, '    ')}`,
    `    ${block(hint, width, '    ')}`,
  ]);
}

function nextRow(run: RunStatus, style: Style): string[] {
  const { id, state, heldBy, until, gate } = run;
  const resume = `devflow resume ${id}${budgetFlag(run)}`;
  const gates = gate === undefined || gate.kind === 'preflight' ? undefined : `devflow gates ${id}`;
  const waiting = gates ?? (until === undefined ? resume : `devflow resume ${id} --wait`);
  const next = {
    running: `devflow attach ${id}`,
    waiting: heldBy === undefined ? waiting : (gates ?? `devflow attach ${id}`),
    due: 'devflow resume --due',
    interrupted: resume,
    unreadable: undefined,
    failed: resume,
    stopped: resume,
    completed: undefined,
  }[state];
  return next === undefined ? [] : [style.dim(`  next: ${next}`)];
}
