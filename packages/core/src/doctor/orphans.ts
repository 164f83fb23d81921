import type { Problem } from '../adapter/index.js';
import { nameProcess } from '../clean/end-orphans.js';
import type { Environment } from '../git/git.js';
import type { Repository } from '../git/repository.js';
import type { Finding } from './machine.js';
import { type GoneRun, type OrphanProcess, findOrphans } from '../clean/orphans.js';

/** What devflow made and no living run has. Processes work on unseen and may cost money; the rest is only in the way. */
export async function lookAtOrphans(repository: Repository, env: Environment): Promise<Finding> {
  const { processes, gone, lock, strangers } = await findOrphans(repository, env);
  const notes = [
    ...gone.map(goneNote),
    ...(lock === undefined
      ? []
      : [`the lock ${lock} is of a dead process; the next devflow takes it over`]),
    ...strangers.map(
      (directory) =>
        `${directory} belongs to no run, and git does not know it: look at it, and remove it by hand`,
    ),
  ];
  const count = processes.length + notes.length;
  return {
    what: 'orphans',
    found: count === 0 ? 'none' : `${count} found`,
    problems: byRun(processes).map(asProblem),
    notes,
  };
}

function byRun(processes: readonly OrphanProcess[]): (readonly OrphanProcess[])[] {
  const runs = new Set(processes.map(({ run }) => run));
  return [...runs].map((run) => processes.filter((each) => each.run === run));
}

function asProblem(processes: readonly OrphanProcess[]): Problem {
  const [first] = processes;
  const named = processes.map(nameProcess).join(', ');
  const { run = '', why = '' } = first ?? {};
  return {
    code: 'ORPHAN_PROCESSES',
    message: `what the run ${run} started lives on, although ${why}: ${named}`,
    hint: `End it: \`devflow clean ${run}\`, which first says what it would do by --dry-run.`,
  };
}

function goneNote({ id, worktrees, branches, directory }: GoneRun): string {
  const things = [
    ...worktrees.map((each) => `worktree ${each}`),
    ...branches.map((each) => `branch ${each}`),
    ...(directory === undefined ? [] : [`directory ${directory}`]),
  ];
  return `there is no definition of the run ${id}, but ${things.join(', ')}: \`devflow clean\` removes what is safe`;
}
