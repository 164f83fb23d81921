/**
 * Did the run complete, and report exactly the commits that are on its branch, each of its own file?
 * @param {import('./repository.js').Repository} repository
 * @param {import('../programs/devflow.js').Result} result
 * @returns {string | undefined} what is wrong
 */
export function wrongWith({ git }, result) {
  const { runId, state, reason, problems, branch, base, commits } = result;
  if (state !== 'completed') {
    const words = problems.map(({ code, message }) => `${code} ${message}`);
    return `${runId} ${state}: ${[reason, ...words].join('; ')}`;
  }
  const reported = commits.map(({ hash }) => hash).join(' ');
  const found = git('log', '--reverse', '--format=%H', '--name-only', `${base}..${branch}`);
  const expected = `${reported}\n\nwork-${runId}.txt\n`;
  return found === expected ? undefined : `${runId} reported ${reported}; its branch has ${found}`;
}

/**
 * @param {import('./repository.js').Repository} repository
 * @param {readonly import('../programs/devflow.js').Result[]} results
 */
export function requireRight(repository, results) {
  const wrong = results.flatMap((result) => wrongWith(repository, result) ?? []);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}
