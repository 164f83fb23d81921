/**
 * A process that runs the fake agent through sandcastle without a sandbox, on a branch. sandcastle
 * prints; so it has a process of its own, whose output goes nowhere.
 *
 * @typedef {{ cwd: string, name: string, agent: string, keep: boolean }} Order
 * @typedef {{ ms: number, commits: readonly string[] } | { error: string }} Reply
 */
import { createWorktree, run } from '@ai-hero/sandcastle';
import { noSandbox } from '@ai-hero/sandcastle/sandboxes/no-sandbox';

process.on('disconnect', () => process.exit());
process.on('message', (/** @type {Order} */ order) => {
  obey(order).then(
    (reply) => process.send?.(reply),
    (error) => process.send?.({ error: String(error?.stack ?? error) }),
  );
});
process.send?.('ready');

/**
 * @param {Order} order
 * @returns {Promise<Reply>}
 */
async function obey({ cwd, name, agent, keep }) {
  const request = {
    agent: shellAgent(agent, name),
    sandbox: noSandbox(),
    prompt: 'do it',
    completionSignal: 'DEVFLOW_RESULT:',
  };
  const branchStrategy = /** @type {const} */ ({ type: 'branch', branch: `sandcastle/${name}` });
  const start = performance.now();
  // A clean worktree that nobody closes stays: sandcastle's way to keep one.
  const result = keep
    ? await (await createWorktree({ cwd, branchStrategy })).run(request)
    : await run({ ...request, cwd, branchStrategy });
  const ms = performance.now() - start;
  if (result.completionSignal === undefined) throw new Error('sandcastle saw no completion signal');
  return { ms, commits: result.commits.map(({ sha }) => sha) };
}

/**
 * @param {string} script
 * @param {string} name
 * @returns {import('@ai-hero/sandcastle').AgentProvider}
 */
function shellAgent(script, name) {
  return {
    name: 'fake',
    env: {},
    captureSessions: false,
    buildPrintCommand: ({ prompt }) => ({ command: `sh '${script}' '${name}'`, stdin: prompt }),
    parseStreamLine: (line) =>
      line.startsWith('DEVFLOW_RESULT:')
        ? [{ type: 'result', result: line }]
        : [{ type: 'text', text: line }],
  };
}
