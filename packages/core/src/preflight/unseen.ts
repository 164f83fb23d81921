import type { RunContext } from '../context.js';
import { tryGit } from '../git/git.js';
import { STATUS, parseStatus } from '../git/status.js';

/** A note on what the user's checkout holds that a new run does not see: it starts from a commit. */
export async function unseenChanges({
  repository,
  definition,
  env,
}: Pick<RunContext, 'repository' | 'definition' | 'env'>): Promise<string[]> {
  const status = await tryGit(repository.root, STATUS, env);
  if (status.status !== 0) {
    return ['the changes in your checkout could not be listed; the run does not see them'];
  }
  const { uncommitted } = parseStatus(status.stdout);
  if (uncommitted.length === 0) return [];
  const shown = uncommitted.slice(0, 3).join(', ');
  const more = uncommitted.length > 3 ? ` and ${uncommitted.length - 3} more` : '';
  const from = definition.base.commit.slice(0, 10);
  return [
    `the checkout of the run starts from ${from}; what is not committed is not in it: ${shown}${more}`,
  ];
}
