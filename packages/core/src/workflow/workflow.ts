import path from 'node:path';
import { DevflowError } from '../errors.js';
import { judgeable } from './judgeable.js';
import { describeIssues, pathText } from './problems.js';
import { readAnswerSchema } from './answer-schema.js';
import { ruleProblems } from './rules.js';
import type { JsonSchema } from '../evidence/json-schema.js';
import { type Budget, fillBudget } from './budget.js';
import { type GateSettings, fillGate } from './gate.js';
import type { Loop } from './loop.js';
import { type Channel, fillNotify } from './notify.js';
import { type Profile, fillProfile } from './profile.js';
import type { Retries } from './retries.js';
import { fillCommands, readPrompt } from './phase-texts.js';
import type { HandOver } from './schema-hand-over.js';
import type { CHECK_FROM, Evidence } from './schema-phase.js';
import { type SandboxName, type WorkflowDefinition, workflowSchema } from './schema.js';

export type { Profile } from './profile.js';
import { parseDuration, parseSize } from './units.js';

/** A workflow with nothing left to look up: defaults filled in, prompt files read, units parsed. Plain data, kept in `run.json`. */
export interface Workflow {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly worktree: WorktreeSettings;
  readonly branchPrefix: string;
  readonly sandbox: SandboxName;
  readonly maxAttempts: number;
  /** Of the run over all its attempts. */
  readonly budget?: Budget;
  /** How persons are told where they do not look. */
  readonly notify?: readonly Channel[];
  readonly phases: readonly Phase[];
}

export interface Phase {
  readonly id: number;
  readonly name: string;
  readonly prompt: string;
  /** Names of profiles or adapters, in the order in which they are asked; none where neither phase nor defaults name one. */
  readonly agents: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  readonly answerBy: 'marker' | 'schema';
  /** JSON Schema of the answer's output. */
  readonly answer?: JsonSchema;
  readonly mode: 'work' | 'review';
  readonly requires: readonly Evidence[];
  readonly changes?: Changes;
  /** Paths that must be files, from the root of the repository. */
  readonly files?: readonly string[];
  readonly checks: readonly PhaseCheck[];
  /** What they run on. */
  readonly checkFrom: (typeof CHECK_FROM)[number];
  /** What the phase may not change. */
  readonly protect: readonly string[];
  readonly preflight: readonly PreflightItem[];
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxOutputBytes: number;
  readonly retries: Retries;
  readonly retryDelayMs: number;
  /** Of all attempts at the phase over the whole run. */
  readonly budget?: Budget;
  /** What later prompts can have of it besides its words. */
  readonly handOver?: HandOver;
  /** Where a person must approve. */
  readonly gate?: GateSettings;
  /** Where the run goes from here in place of ending. */
  readonly onRejected?: Loop;
  readonly onGaps?: Loop;
  readonly onFailed?: Loop;
  /** Is it done at all? An expression, or a hook. */
  readonly when?: When;
}

/** Patterns of paths in the repository. */
interface Changes {
  /** Each must match a path that changed since the phase was entered. */
  readonly must: readonly string[];
  /** None may match one. */
  readonly mustNot: readonly string[];
}
export type When = string | { readonly hook: string };

export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
}

export interface PhaseCheck extends Check {
  /** Is it run before the first attempt of a visit too? */
  readonly before?: true;
}

export type PreflightItem = ((Check & { readonly hint?: string }) | { readonly hook: string }) & {
  /** `false`: it is not asked before the phases ahead of its own are done. */
  readonly ahead?: boolean;
};

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
  return resolveBy(ruleProblems, definition, dir, source);
}

/** The same by the rules that are given. */
export function resolveBy(
  rules: Rules,
  definition: unknown,
  dir: string,
  source: string,
): Workflow {
  const parsed = workflowSchema.safeParse(definition);
  if (!parsed.success)
    throw invalid(source, [
      ...describeIssues(parsed.error, workflowSchema, definition),
      ...problemsBesides(definition, dir, rules),
    ]);
  const problems: string[] = [];
  const workflow = fillIn(parsed.data, dir, problems);
  problems.push(...rules(workflow));
  if (problems.length > 0) throw invalid(source, problems);
  return workflow;
}

/** What is wrong with what a workflow says, its shape being right. */
export type Rules = (workflow: Workflow) => readonly string[];

/** What is wrong besides the shape, as far as that can be said already. */
function problemsBesides(wrong: unknown, dir: string, rules: Rules): string[] {
  const rest = judgeable(wrong);
  const problems: string[] = [];
  const workflow = fillIn(rest.definition, dir, problems);
  return [...problems, ...rules(workflow)].filter(rest.isSound);
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
      Object.entries(parsed.profiles ?? {}).map(([name, profile]) => [
        name,
        fillProfile(name, profile, dir, problems),
      ]),
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
    ...(parsed.budget !== undefined && { budget: fillBudget(parsed.budget) }),
    ...(parsed.notify !== undefined && { notify: fillNotify(parsed.notify, problems) }),
    phases: parsed.phases.map((phase, index) => ({
      ...fillPhase(
        { ...defaults, ...phase, checks: fillCommands(phase, index, parsed.variables, problems) },
        readPrompt(phase, index, dir, problems),
      ),
      ...answerOf(phase, index, problems),
    })),
  };
}

function answerOf({ answer }: ParsedPhase, index: number, problems: string[]) {
  const where = pathText(['phases', index, 'answer']);
  const schema = readAnswerSchema(answer, where, problems);
  return schema && { answer: schema };
}

function fillPhase(phase: ParsedPhase, prompt: string): Phase {
  const { agent = [], model, effort, mode = 'work', checks = [], changes, files } = phase;
  const { onRejected, onGaps, onFailed, when } = phase;
  return {
    id: phase.id,
    name: phase.name,
    prompt,
    agents: typeof agent === 'string' ? [agent] : agent,
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    answerBy: phase.answerBy ?? 'marker',
    ...(onRejected !== undefined && { onRejected }),
    ...(onGaps !== undefined && { onGaps }),
    ...(onFailed !== undefined && { onFailed }),
    ...(when !== undefined && { when }),
    ...(phase.handOver !== undefined && { handOver: phase.handOver }),
    ...(phase.gate !== undefined && { gate: fillGate(phase.gate) }),
    mode,
    requires: phase.requires ?? defaultEvidence(phase),
    ...(changes !== undefined && {
      changes: { must: changes.must ?? [], mustNot: changes.mustNot ?? [] },
    }),
    ...(files !== undefined && { files }),
    checks: checks.map((check) => ({
      ...fillCheck(check, '10m'),
      ...(check.before === true && { before: true as const }),
    })),
    checkFrom: phase.checkFrom ?? 'worktree',
    protect: phase.protect ?? [],
    preflight: (phase.preflight ?? []).map(fillPreflightItem),
    timeoutMs: milliseconds(phase.timeout ?? '1h'),
    idleTimeoutMs: milliseconds(phase.idleTimeout ?? '15m'),
    maxOutputBytes: parseSize(phase.maxOutput ?? '1GB') ?? 0,
    retries: phase.retries ?? 1,
    retryDelayMs: milliseconds(phase.retryDelay ?? '2s'),
    ...(phase.budget !== undefined && { budget: fillBudget(phase.budget) }),
  };
}

type ParsedItem = NonNullable<ParsedPhase['preflight']>[number];

function fillPreflightItem(item: ParsedItem): PreflightItem {
  const ahead = item.ahead === undefined ? {} : { ahead: item.ahead };
  if ('hook' in item) return { hook: item.hook, ...ahead };
  const { hint } = item;
  return { ...fillCheck(item, '1m'), ...(hint !== undefined && { hint }), ...ahead };
}

/** What completes a phase that does not say so: all that can be asked of its kind. */
function defaultEvidence({ mode, onGaps, changes, files, checks = [] }: ParsedPhase): Evidence[] {
  const asked: readonly [Evidence, boolean][] = [
    ['answer', true],
    ['commit', mode !== 'review'],
    ['clean', mode !== 'review'],
    ['verdict', onGaps !== undefined],
    ['changes', changes !== undefined],
    ['files', files !== undefined],
    ['checks', checks.length > 0],
  ];
  return asked.flatMap(([evidence, isAsked]) => (isAsked ? [evidence] : []));
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
