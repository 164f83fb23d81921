import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { command } from '../src/command/index.js';
import { type DevflowError, type RunEvent, type RunResult, resume, run } from '../src/index.js';
import type { ResumeOptions } from '../src/resume.js';
import { readTable } from '../src/process/tree.js';
import type { RunOptions } from '../src/start.js';
import {
  type TemporaryRepository,
  type TemporaryRepositoryOptions,
  commitFile,
  giveAnswer,
  scriptedAgent,
  temporaryRepository,
} from '../src/testing/index.js';
import type { PhaseDefinition, WorkflowDefinition } from '../src/workflow/schema.js';

/** A repository and the ways in which these tests run devflow on it. */
export interface Rig {
  readonly repository: TemporaryRepository;
  readonly events: RunEvent[];
  /** Runs a workflow whose phases name shell scripts as agents. */
  run(phases: readonly ScriptedPhase[], more?: RunMore): Promise<RunResult>;
  resume(runId: string, more?: Partial<ResumeOptions>): Promise<RunResult>;
  /** The directory of an attempt. */
  attempt(runId: string, phase: string, number: number): string;
  journal(runId: string): Record<string, unknown>[];
}

export type ScriptedPhase = Partial<PhaseDefinition> & { readonly script: string };
export type RunMore = Partial<RunOptions> & { readonly workflow?: Partial<WorkflowDefinition> };

export async function rig(options?: TemporaryRepositoryOptions): Promise<Rig> {
  const repository = await temporaryRepository(options);
  onTestFinished(() => endAndRemove(repository));
  const events: RunEvent[] = [];
  const common = {
    cwd: repository.root,
    env: repository.env,
    adapters: [command()],
    onEvent: (event: RunEvent) => events.push(event),
  };
  const runsDirectory = path.join(repository.root, '.git', 'devflow', 'runs');
  return {
    repository,
    events,
    run: (phases, { workflow, ...more } = {}) =>
      run(scriptedWorkflow(phases, workflow), {
        task: 'add a greeting',
        name: 'test',
        ...common,
        ...more,
      }),
    resume: (runId, more) => resume(runId, { ...common, ...more }),
    attempt: (runId, phase, number) => path.join(runsDirectory, runId, phase, String(number)),
    journal: (runId) =>
      readFileSync(path.join(runsDirectory, runId, 'journal.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

export function scriptedWorkflow(
  phases: readonly ScriptedPhase[],
  more: Partial<WorkflowDefinition> = {},
): WorkflowDefinition {
  return {
    ...more,
    profiles: {
      ...Object.fromEntries(
        phases.map(({ script }, index) => [`agent-${index + 1}`, scriptedAgent(script)]),
      ),
      ...more.profiles,
    },
    phases: phases.map(({ script: _, ...phase }, index) => ({
      id: index + 1,
      name: `step-${index + 1}`,
      prompt: 'Task: {{task}}',
      retries: 0,
      retryDelay: '1ms',
      agent: `agent-${index + 1}`,
      ...phase,
    })),
  };
}

/** The script of an agent that does its work: it reads its prompt, commits done.txt and says so. */
export const done = `cat >/dev/null; ${commitFile('done.txt')}; ${giveAnswer()}`;

/** What of a result most tests look at. */
export function outcomes({ attempts }: RunResult): string[] {
  return attempts.map(({ phase, outcome }) => `${phase} ${outcome}`);
}

/** The grounds that did not say yes. */
export function objections({ attempts }: RunResult): string[] {
  return attempts.flatMap(({ reasons }) =>
    reasons.filter(({ says }) => says !== 'yes').map(({ text }) => text),
  );
}

export async function until(condition: () => boolean, limitMs = 15_000): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > limitMs)
      throw new Error(`waited in vain: ${condition.toString()}`);
    await delay(10);
  }
}

/** A devflow error with this code, a sentence, and what to do next. */
export async function expectError(
  promise: Promise<unknown>,
  code: string,
  sentence: RegExp,
): Promise<DevflowError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown as DevflowError,
  );
  expect(error).toMatchObject({ name: 'DevflowError', code });
  expect([error?.message, ...(error?.problems ?? [])].join('\n')).toMatch(sentence);
  expect(error?.hint).toMatch(/\w/);
  return error as DevflowError;
}

/** A test that fails leaves no process either; one that passes and leaves one has failed. */
async function endAndRemove(repository: TemporaryRepository): Promise<void> {
  // What was ended just now may take a moment to be gone.
  await until(() => processesOf(repository.directory).length === 0, 3_000).catch(() => undefined);
  const left = processesOf(repository.directory);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  repository.remove();
  if (left.length > 0) throw new Error(`the test left processes behind: ${left.join(', ')}`);
}

/** Living processes whose environment names this directory: those that a test left behind. */
export function processesOf(directory: string): number[] {
  return [...readTable().keys()].filter((pid) => {
    try {
      return (
        pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(directory)
      );
    } catch {
      return false;
    }
  });
}

/** How many worktrees the repository has, its own counted; a path may hold a newline. */
export async function worktreeCount({ git }: TemporaryRepository): Promise<number> {
  return (await git('worktree', 'list', '--porcelain', '-z'))
    .split('\0')
    .filter((line) => line.startsWith('worktree ')).length;
}

/** Nothing is left but what a finished run may leave: no process, no worktree, no lock, a clean checkout. */
export async function expectNothingLeft({ repository }: Rig): Promise<void> {
  await until(() => processesOf(repository.directory).length === 0);
  expect(await worktreeCount(repository)).toBe(1);
  expect(await repository.git('status', '--porcelain')).toBe('');
  const runs = path.join(repository.root, '.git', 'devflow', 'runs');
  const locks = existsSync(runs)
    ? readdirSync(runs).filter((id) => existsSync(path.join(runs, id, 'lock')))
    : [];
  expect(locks).toEqual([]);
}

/** Nothing of a run that could not begin: no state, no branch, no worktree. */
export async function expectUntouched(used: Rig): Promise<void> {
  await expectNothingLeft(used);
  const { repository } = used;
  expect(await repository.git('branch', '--list', 'devflow/*')).toBe('');
  expect(readdirSync(path.join(repository.root, '.git'))).not.toContain('devflow');
  expect(readdirSync(repository.home)).toEqual([]);
}
