import { type RunOptions, type WorkflowDefinition, commandLine } from '@devflow/core';
import { type DryAgent, type DryPhase, type DryRun, dryRun } from '@devflow/core/dry-run';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Interrupted } from '../interrupted.js';
import { leaveBySignal } from '../leave-by-signal.js';
import { problemLines, sandboxLine } from '../reporters/lines.js';
import type { Terminal } from '../terminal.js';
import { type Style, oneLine, plural, printedLine, wrap } from '../text/style.js';
import { elapsed } from '../text/time.js';

/** What a run would do. Exits 4 where its preflight finds problems, as the run would. */
export async function showDryRun(
  definition: WorkflowDefinition,
  options: RunOptions,
  { json }: { readonly json?: true },
  terminal: Terminal,
): Promise<ExitCode> {
  const left = leaveBySignal();
  try {
    const plan = await dryRun(definition, { ...options, signal: left.signal });
    if (left.signal.aborted) throw new Interrupted();
    terminal.out(
      json === true
        ? `${JSON.stringify({ type: 'dry-run', v: 1, ...plan })}\n`
        : text(plan, terminal),
    );
    return plan.problems.length > 0 ? EXIT.preflight : EXIT.completed;
  } finally {
    left.close();
  }
}

function text(plan: DryRun, { style, width }: Terminal): string {
  const { runId, task, branch, base, against, worktree, sandbox, phases, problems, notes } = plan;
  const { copy, setup } = plan;
  const from = `${base.branch === undefined ? '' : `${base.branch} at `}${base.commit.slice(0, 10)}`;
  const wrapped = (line: string) => wrap(line, width, '  ');
  const lines = [
    sandboxLine(sandbox),
    wrapped(`dry run of ${runId}: ${task}`),
    wrapped(`branch ${branch}, from ${from}`),
    ...(against === undefined
      ? []
      : [
          wrapped(
            `compared with ${against.asked}, from which it parted at ${against.commit.slice(0, 10)}`,
          ),
        ]),
    wrapped(`worktree ${worktree}`),
    ...copy.map((name) => printedLine(`copied into it: ${name}`)),
    // A command is not wrapped: it can be copied.
    ...setup.map(({ command, timeoutMs }) =>
      printedLine(`run in it once: ${commandLine(command)} (at most ${elapsed(timeoutMs)})`),
    ),
    ...(plan.budget === undefined ? [] : [`budget of the run: ${budgetWords(plan.budget)}`]),
    ...plan.notify.map(({ name, on }) => `told by ${oneLine(name)}: ${on.join(', ')}`),
    ...phases.flatMap((phase) => ['', ...phaseLines(phase, style)]),
    '',
    ...notes.map((note) => wrapped(`note: ${note}`)),
    ...problemLines(problems, { style, width }),
    problems.length === 0
      ? wrapped('Nothing was started or changed; the preflight finds no problem.')
      : 'Nothing was started or changed.',
  ];
  return `${lines.join('\n')}\n`;
}

function phaseLines(phase: DryPhase, style: Style): string[] {
  const { id, name, mode, agents, limits, requires, checks, preflight } = phase;
  const { protect, checkFrom, when, onRejected, onGaps, onFailed } = phase;
  const { timeoutMs, idleTimeoutMs, budget } = limits;
  const who = [mode, ...agents.map((agent) => agent.name)].join(', ');
  const settings = [
    ...(when === undefined
      ? []
      : [`  when: ${typeof when === 'string' ? when : `hook ${when.hook}`}`]),
    ...agents.flatMap(agentLines),
    ...preflight.map(
      (item) => `  preflight: ${'hook' in item ? `hook ${item.hook}` : commandLine(item.command)}`,
    ),
    ...checks.map(
      ({ command, timeoutMs: limit, before }) =>
        `  check: ${commandLine(command)} (at most ${elapsed(limit)}${before === true ? ', also before the first attempt' : ''})`,
    ),
    ...(protect.length === 0 ? [] : [`  protected: ${protect.join(', ')}`]),
    ...(checkFrom === 'worktree' ? [] : [`  checked from: ${CHECKED_FROM[checkFrom]}`]),
    `  requires: a finished turn${requires.map((evidence) => `, ${evidence}`).join('')}`,
    ...askedLines(phase),
    ...loopLine('rejected', onRejected),
    ...loopLine('gaps', onGaps),
    ...loopLine('failed', onFailed),
    ...gateLine(phase),
    ...handOverLine(phase),
    `  limits: ${elapsed(timeoutMs)} in all, ${elapsed(idleTimeoutMs)} silent, ${retriesText(limits)}`,
    ...(budget === undefined ? [] : [`  budget: ${budgetWords(budget)}`]),
    '  prompt:',
  ].flatMap((lines) => lines.split('\n')); // a script in a command has lines of its own
  const prompt = phase.prompt.trimEnd().split('\n');
  return [
    style.bold(oneLine(`${id} ${name} (${who})`)),
    ...settings.map(printedLine),
    ...prompt.map((line) => style.dim(printedLine(`    ${line}`))),
  ];
}

const CHECKED_FROM = {
  accepted: 'a new checkout, with what is protected as the last completed attempt left it',
  base: 'a new checkout, with what is protected as it was when the run began',
} as const;
function loopLine(what: string, loop: DryPhase['onGaps']): string[] {
  return loop === undefined
    ? []
    : [`  on ${what}: back to ${loop.goto}, at most ${plural(loop.max, 'time')}`];
}

/** What is asked of paths, files and the answer's output. */
function askedLines({ changes, files, answer }: DryPhase): string[] {
  const { must = [], mustNot = [] } = changes ?? {};
  return [
    ...(must.length === 0 ? [] : [`  must change: ${must.join(', ')}`]),
    ...(mustNot.length === 0 ? [] : [`  must not change: ${mustNot.join(', ')}`]),
    ...(files === undefined ? [] : [`  files: ${files.join(', ')}`]),
    ...(answer === undefined ? [] : [`  output of the answer: ${JSON.stringify(answer)}`]),
  ];
}

/** Where a person is asked, and what comes of it where nobody answers. */
function gateLine({ gate }: DryPhase): string[] {
  if (gate === undefined) return [];
  const { when, message, limit } = gate;
  const words = message === undefined ? '' : `: ${oneLine(message)}`;
  const end = limit === undefined ? '' : ` (${limit.decision} after ${elapsed(limit.ms)})`;
  return [`  gate ${when} it${words}${end}`];
}

function handOverLine({ handOver }: DryPhase): string[] {
  if (handOver === undefined) return [];
  const { artifacts = [], events, maxEvents } = handOver;
  const parts = [
    ...artifacts,
    ...(events === undefined ? [] : [`events by ${plural(events.length, 'rule')}`]),
    ...(maxEvents === undefined ? [] : [`the last ${plural(maxEvents, 'event')}`]),
  ];
  return parts.length === 0 ? [] : [`  handed over: ${parts.join(', ')}`];
}

/** `2 retries`, or `retries: failed 2, idle 0; of others 1`. */
function retriesText({ retries }: DryPhase['limits']): string {
  if (typeof retries === 'number') return plural(retries, 'retry', 'retries');
  const counts = Object.entries(retries).map(([outcome, count]) => `${outcome} ${count}`);
  return `retries: ${[...counts, 'others 1 each'].join(', ')}`;
}

/** `$5.00, 200,000 tokens, 2h` */
function budgetWords({ usd, tokens, wallClockMs }: NonNullable<DryRun['budget']>): string {
  return [
    usd === undefined ? undefined : `$${usd.toFixed(2)}`,
    tokens === undefined ? undefined : `${tokens.toLocaleString('en-US')} tokens`,
    wallClockMs === undefined ? undefined : elapsed(wallClockMs),
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Of a chain the first one, and then who is asked where that cannot go on. */
function agentLines(agent: DryAgent, index: number): string[] {
  const { name, model, effort, instructions, mcp, program, args } = agent;
  const asked = [model, effort === undefined ? undefined : `effort ${effort}`].filter(Boolean);
  return [
    `  ${index === 0 ? 'agent' : 'or, where that cannot go on'}: ${[name, ...asked].join(', ')}`,
    `  command: ${commandLine([program, ...args])}`,
    ...(instructions === undefined ? [] : [`  instructions: ${oneLine(instructions)}`]),
    ...(mcp === undefined ? [] : [`  tool servers: ${mcp.join(', ') || 'none'}`]),
  ];
}
