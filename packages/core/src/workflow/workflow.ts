import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { describeIssues, pathText, suggestion } from './problems.js';
import { type Evidence, type WorkflowDefinition, workflowSchema } from './schema.js';
import { knownNames, templateNames } from './template.js';
import { parseDuration, parseSize } from './units.js';

/** A workflow with nothing left to look up: defaults filled in, prompt files read, units parsed. Plain data, kept in `run.json`. */
export interface Workflow {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly worktree: WorktreeSettings;
  readonly branchPrefix: string;
  readonly sandbox: 'none';
  readonly maxAttempts: number;
  readonly phases: readonly Phase[];
}

export interface Phase {
  readonly id: number;
  readonly name: string;
  readonly prompt: string;
  /** Name of a profile or an adapter; undefined where neither phase nor defaults name one. */
  readonly agent?: string;
  readonly model?: string;
  readonly mode: 'work' | 'review';
  readonly requires: readonly Evidence[];
  readonly checks: readonly Check[];
  readonly preflight: readonly PreflightItem[];
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxOutputBytes: number;
  readonly retries: number;
  readonly onGaps?: { readonly goto: string; readonly max: number };
}

export interface Profile {
  readonly adapter: string;
  readonly model?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly envFrom: readonly string[];
  /** The adapter's own options. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
}

export type PreflightItem = (Check & { readonly hint?: string }) | { readonly hook: string };

export interface WorktreeSettings {
  readonly dir?: string;
  readonly copy: readonly string[];
  readonly setup: readonly Check[];
  readonly keep: 'unfinished' | 'always';
}

/** Gives a workflow its type in an editor; it is validated when it is run. */
export function defineWorkflow(definition: WorkflowDefinition): WorkflowDefinition {
  return definition;
}

/**
 * Validates a definition whole and reads in its prompt files.
 * @param dir where `promptFile` starts from: the directory of the configuration
 * @throws DevflowError CONFIG_INVALID with every problem at once
 */
export function resolveWorkflow(definition: unknown, dir: string, source = 'workflow'): Workflow {
  const parsed = workflowSchema.safeParse(definition);
  if (!parsed.success)
    throw invalid(source, describeIssues(parsed.error, workflowSchema, definition));
  const problems: string[] = [];
  const workflow = fillIn(parsed.data, dir, problems);
  problems.push(...ruleProblems(workflow));
  if (problems.length > 0) throw invalid(source, problems);
  return workflow;
}

export function invalid(source: string, problems: readonly string[]): DevflowError {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new DevflowError('CONFIG_INVALID', `${source} has ${count}`, { problems });
}

type ParsedPhase = WorkflowDefinition['phases'][number];
type ParsedCheck = NonNullable<ParsedPhase['checks']>[number];

function fillIn(parsed: WorkflowDefinition, dir: string, problems: string[]): Workflow {
  const { defaults = {}, worktree = {} } = parsed;
  return {
    name: parsed.name ?? 'workflow',
    variables: parsed.variables ?? {},
    profiles: Object.fromEntries(
      Object.entries(parsed.profiles ?? {}).map(([name, profile]) => {
        const { adapter, model, env = {}, envFrom = [], ...options } = profile;
        return [name, { adapter, ...(model !== undefined && { model }), env, envFrom, options }];
      }),
    ),
    worktree: {
      ...(worktree.dir !== undefined && { dir: path.resolve(dir, worktree.dir) }),
      copy: worktree.copy ?? [],
      setup: (worktree.setup ?? []).map((check) => fillCheck(check, '10m')),
      keep: worktree.keep ?? 'unfinished',
    },
    branchPrefix: parsed.branchPrefix ?? 'devflow',
    sandbox: parsed.sandbox ?? 'none',
    maxAttempts: parsed.maxAttempts ?? 20,
    phases: parsed.phases.map((phase, index) =>
      fillPhase({ ...defaults, ...phase }, readPrompt(phase, index, dir, problems)),
    ),
  };
}

function fillPhase(phase: ParsedPhase, prompt: string): Phase {
  const { agent, model, onGaps, mode = 'work', checks = [] } = phase;
  return {
    id: phase.id,
    name: phase.name,
    prompt,
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(onGaps !== undefined && { onGaps }),
    mode,
    requires: phase.requires ?? defaultEvidence(mode, checks.length > 0, onGaps !== undefined),
    checks: checks.map((check) => fillCheck(check, '10m')),
    preflight: (phase.preflight ?? []).map((item) =>
      'hook' in item
        ? item
        : { ...fillCheck(item, '1m'), ...(item.hint !== undefined && { hint: item.hint }) },
    ),
    timeoutMs: milliseconds(phase.timeout ?? '1h'),
    idleTimeoutMs: milliseconds(phase.idleTimeout ?? '15m'),
    maxOutputBytes: parseSize(phase.maxOutput ?? '1GB') ?? 0,
    retries: phase.retries ?? 1,
  };
}

/** What completes a phase that does not say so: all that can be asked of its kind. */
function defaultEvidence(mode: Phase['mode'], checks: boolean, judges: boolean): Evidence[] {
  return [
    'marker',
    ...(mode === 'work' ? (['commit', 'clean'] as const) : []),
    ...(judges ? (['verdict'] as const) : []),
    ...(checks ? (['checks'] as const) : []),
  ];
}

function fillCheck(check: ParsedCheck, timeout: string): Check {
  return {
    name: check.name ?? check.command.join(' '),
    command: check.command,
    timeoutMs: milliseconds(check.timeout ?? timeout),
  };
}

/** The schema has refused what is no duration. */
function milliseconds(duration: string): number {
  return parseDuration(duration) ?? 0;
}

function readPrompt(phase: ParsedPhase, index: number, dir: string, problems: string[]): string {
  const where = pathText(['phases', index]);
  if ((phase.prompt === undefined) === (phase.promptFile === undefined)) {
    const found = phase.prompt === undefined ? 'neither' : 'both';
    problems.push(`${where}: expected prompt or promptFile, found ${found}`);
    return '';
  }
  if (phase.promptFile === undefined) return phase.prompt ?? '';
  const file = path.resolve(dir, phase.promptFile);
  try {
    const prompt = readFileSync(file, 'utf8');
    if (prompt.trim() === '') problems.push(`${where}.promptFile: ${file} is empty`);
    return prompt;
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    problems.push(`${where}.promptFile: ${file} ${why}`);
    return '';
  }
}

/** The rules that go across entries. */
function ruleProblems(workflow: Workflow): string[] {
  const { phases } = workflow;
  const names = knownNames(workflow);
  return phases.flatMap((phase, index) => {
    const where = pathText(['phases', index]);
    const earlier = phases.slice(0, index);
    const previous = earlier.at(-1);
    const problems: string[] = [];
    if (previous !== undefined && phase.id <= previous.id) {
      problems.push(`${where}.id: expected a number above ${previous.id}, found ${phase.id}`);
    }
    if (earlier.some(({ name }) => name === phase.name)) {
      problems.push(`${where}.name: "${phase.name}" is taken by an earlier phase`);
    }
    for (const name of templateNames(phase.prompt)) {
      if (!names.includes(name)) {
        problems.push(`${where}.prompt: unknown variable {{${name}}}; ${suggestion(name, names)}`);
      }
    }
    return [
      ...problems,
      ...evidenceProblems(phase, where),
      ...gapsProblems(phase, where, phases, index),
    ];
  });
}

/** Evidence that could never be had, or would be gathered and then not count. */
function evidenceProblems(phase: Phase, where: string): string[] {
  const requires = (evidence: Evidence) => phase.requires.includes(evidence);
  const problems: string[] = [];
  if (requires('commit') && phase.mode === 'review') {
    problems.push(`${where}.requires: a review keeps no commits, so "commit" can never hold`);
  }
  if (requires('clean') && phase.mode === 'review') {
    problems.push(
      `${where}.requires: a review's checkout is thrown away, so "clean" would decide nothing`,
    );
  }
  if (requires('checks') && phase.checks.length === 0) {
    problems.push(`${where}.requires: "checks" is required but the phase has no checks`);
  }
  if (!requires('checks') && phase.checks.length > 0) {
    problems.push(
      `${where}.checks: expected "checks" in requires, or the checks would decide nothing`,
    );
  }
  if (phase.onGaps !== undefined && !requires('verdict')) {
    problems.push(`${where}.onGaps: expected "verdict" in requires, or gaps would never be found`);
  }
  return problems;
}

function gapsProblems(
  phase: Phase,
  where: string,
  phases: readonly Phase[],
  index: number,
): string[] {
  const target = phase.onGaps?.goto;
  if (target === undefined) return [];
  const reachable = phases.slice(0, index + 1).map(({ name }) => name);
  if (reachable.includes(target)) return [];
  return [
    `${where}.onGaps.goto: no phase "${target}" up to here; ${suggestion(target, reachable)}`,
  ];
}
