import type { AgentAdapter } from '../adapter/index.js';
import { type Repository, openRepository, realPath } from '../git/repository.js';
import { type Finding, asProblem, lookAtGit, lookAtNode, lookAtPlatform } from './machine.js';
import { lookAtOrphans } from './orphans.js';
import { lookAtAgents } from './agents.js';
import { lookAtChannels } from './notify.js';
import { isStale } from '../clean/orphans.js';
import { checkPlace } from '../preflight/place.js';
import { checkRepository } from '../preflight/repository.js';
import { unseenChanges } from '../preflight/unseen.js';
import type { CommonOptions } from '../hold.js';
import type { RunDefinition } from '../state/definition.js';
import { EMPTY } from '../state/fold.js';
import { defaultStateDir, runPaths } from '../state/paths.js';
import { worktreesDirectory } from '../state/worktrees-directory.js';
import type { RunView } from '../state/view.js';
import { runIds, status } from '../status.js';
import type { WorkflowDefinition } from '../workflow/schema.js';
import { readWorkflow } from '../workflow/read-workflow.js';

export { type AdapterFacts, inspectAdapter } from './inspect-adapter.js';
export type { Finding } from './machine.js';

export interface DoctorOptions extends CommonOptions {
  readonly adapters: readonly AgentAdapter[];
  /** Where prompt files of the workflow start from; `cwd` where it is left out. */
  readonly workflowDir?: string;
  readonly stateDir?: string;
}

/** Looks at all that a run would need, and at what earlier runs left. Changes nothing and spends nothing; what `notify` names gets a message that is a probe. */
export async function doctor(
  workflow: WorkflowDefinition,
  options: DoctorOptions,
): Promise<Finding[]> {
  const { cwd, env } = options;
  const machine = [lookAtPlatform(), lookAtNode(), await lookAtGit(options)];
  const resolved = await readWorkflow(workflow, options.workflowDir ?? cwd, {
    adapters: options.adapters.map(({ name }) => name),
  });
  const opened = await openRepository(cwd, 'HEAD', env).catch((error: unknown) => asProblem(error));
  const stateDir = options.stateDir ?? defaultStateDir(env);
  if ('code' in opened) {
    return [
      ...machine,
      { what: 'repository', found: cwd, problems: [opened], notes: [] },
      ...(await lookAtAgents(resolved, { ...options, stateDir })),
    ];
  }
  const { repository, base } = opened;
  const definition: RunDefinition = {
    v: 1,
    id: 'doctor',
    task: '',
    workflow: resolved,
    range: { first: 0, last: 0 },
    base: { commit: base.commit, asked: 'HEAD' },
    branch: `${resolved.branchPrefix}/doctor/work`,
    worktrees: realPath(resolved.worktree.dir ?? worktreesDirectory(stateDir, repository)),
    stateDir,
    codeHashes: {},
  };
  const log = { state: EMPTY, append: () => undefined, assertInPlace: () => undefined };
  const context = {
    definition,
    repository,
    config: undefined,
    measured: { facts: undefined },
    env,
    log,
  };
  const place = await checkPlace(context);
  const [{ problems }, notes] = await Promise.all([
    checkRepository(context),
    unseenChanges(context),
  ]);
  const known = new Set(place.map(({ message }) => message));
  return [
    ...machine,
    {
      what: 'repository',
      found: repository.root,
      problems: problems.filter(({ message }) => !known.has(message)),
      notes,
    },
    { what: 'worktrees', found: definition.worktrees, problems: place, notes: [] },
    ...(await lookAtAgents(resolved, { ...options, cwd: repository.root, stateDir })),
    ...(await lookAtChannels(definition, repository, env)),
    ...(await lookAtRuns(repository, options)),
    await lookAtOrphans(repository, env),
  ];
}

/** Runs that nobody goes on with by himself, those that cannot be read, and locks whose holder is dead. */
async function lookAtRuns({ commonDir }: Repository, options: DoctorOptions): Promise<Finding[]> {
  const ids = runIds(commonDir);
  const findings: Finding[] = [];
  for (const id of ids) findings.push(...(await lookAtRun(id, options)));
  const notes = ids
    .filter((id) => isStale(runPaths(commonDir, id).lock))
    .map(
      (id) =>
        `the lock of the run ${id} is of a dead process; the next devflow there takes it over`,
    );
  return [...findings, { what: 'runs', found: `${ids.length} here`, problems: [], notes }];
}

/** Each by itself: for one that cannot be read its own code and hint are told. */
async function lookAtRun(id: string, options: DoctorOptions): Promise<Finding[]> {
  return status(id, options).then(cutOff, (error: unknown) => [
    { what: `run ${id}`, found: 'not readable', problems: [asProblem(error)], notes: [] },
  ]);
}

function cutOff({ id, state, reason }: RunView): Finding[] {
  if (state === 'unreadable') {
    const message = `the run ${id} cannot be read: ${reason}`;
    const hint = `Mend what is named; \`devflow stop ${id}\` ends what may live of it.`;
    const problem = { code: 'STATE_UNREADABLE', message, hint };
    return [{ what: `run ${id}`, found: 'not readable', problems: [problem], notes: [] }];
  }
  if (state !== 'interrupted' && state !== 'due') return [];
  const problem = {
    code: state === 'due' ? 'RUN_DUE' : 'RUN_INTERRUPTED',
    message: `the run ${id} is ${state}: ${reason}`,
    hint: `Go on with it: \`devflow resume ${id}\`, or end it: \`devflow stop ${id}\`.`,
  };
  return [{ what: `run ${id}`, found: state, problems: [problem], notes: [] }];
}
