import { DevflowError } from './errors.js';
import { type Environment, gitFailed, tryGit } from './git/git.js';
import type { PhaseRange } from './policy/step.js';
import { templateNames } from './workflow/template.js';
import type { Workflow } from './workflow/workflow.js';

/** Where base parted from another commit. @throws DevflowError BASE_NOT_FOUND, OPTION_INVALID where its content is the same since */
export async function partingFrom(
  root: string,
  asked: string,
  baseCommit: string,
  base: string,
  env: Environment,
): Promise<{ commit: string; asked: string }> {
  const parsed = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${asked}^{commit}`];
  const other = (await tryGit(root, parsed, env)).stdout.trim();
  // A range is more than one commit.
  if (!/^[0-9a-f]{40,64}$/.test(other))
    throw new DevflowError('BASE_NOT_FOUND', `"${asked}" names no commit here`);
  const found = await tryGit(root, ['merge-base', baseCommit, other], env);
  if (found.status > 1) throw gitFailed(['merge-base'], found);
  const commit = found.stdout.trim();
  const wrong = (words: string) => new DevflowError('OPTION_INVALID', `against: ${words}`);
  if (commit === '') throw wrong(`${base} and ${asked} have no commit in common`);
  if (commit === baseCommit) throw wrong(`${base} has nothing that ${asked} does not have`);
  // Commits that change nothing, or take back what they changed.
  if ((await treeOf(root, commit, env)) === (await treeOf(root, baseCommit, env)))
    throw wrong(`${base} changes nothing since it parted from ${asked}`);
  return { commit, asked };
}

async function treeOf(root: string, commit: string, env: Environment): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`];
  const found = await tryGit(root, args, env);
  if (found.status !== 0) throw gitFailed(args, found);
  return found.stdout.trim();
}

/** A review of nothing would find nothing. @throws DevflowError OPTION_INVALID */
export function requireSomethingToShow({ phases }: Workflow, { first, last }: PhaseRange): void {
  const asked = phases.filter(({ id }) => id >= first && id <= last);
  const working = asked.findIndex(({ mode }) => mode === 'work');
  const before = working === -1 ? asked : asked.slice(0, working);
  const shows = before.find(({ prompt }) => templateNames(prompt).includes('run.diff'));
  if (shows === undefined) return;
  throw new DevflowError(
    'OPTION_INVALID',
    `phase ${shows.id} ${shows.name} is shown the change, and no phase before it makes one`,
    { hint: 'Say what to compare with: `devflow run … --base feature --against main`.' },
  );
}
