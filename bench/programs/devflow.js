/**
 * A process that runs workflows through the library, as it is told to over its channel. It stays warm
 * between orders, and holds nothing else, so that its memory is the library's.
 *
 * argv: the directory of the built library, and the module of the Claude adapter where it is needed.
 *
 * @typedef {object} Order
 * @property {import('../../packages/core/dist/index.js').WorkflowDefinition} workflow
 * @property {string} cwd
 * @property {readonly { name: string, profile?: Record<string, unknown> }[]} runs started at once; each may have its own agent, under the name `agent`
 *
 * @typedef {object} Reply
 * @property {number} ms from the first start to the last end
 * @property {readonly Result[]} results in the order of the runs
 * @property {number} peakBytes of this process since it began
 *
 * @typedef {Pick<import('../../packages/core/dist/index.js').RunResult, 'runId' | 'state' | 'reason' | 'branch' | 'base' | 'commits' | 'problems' | 'attempts' | 'directory'> & { attemptMs: number[], notes: string[] }} Result
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [library = '', claudeModule] = process.argv.slice(2);
/** @type {typeof import('../../packages/core/dist/index.js')} */
const { run } = await import(pathToFileURL(path.join(library, 'index.js')).href);
/** @type {typeof import('../../packages/core/dist/command/index.js')} */
const { command } = await import(pathToFileURL(path.join(library, 'command/index.js')).href);
const adapters = [command()];
if (claudeModule !== undefined)
  adapters.push((await import(pathToFileURL(claudeModule).href)).claude());

const gone = new AbortController();
process.on('disconnect', () => gone.abort());
process.on('message', (/** @type {Order} */ order) => void obey(order));
process.send?.('ready');

/** @param {Order} order */
async function obey({ workflow, cwd, runs }) {
  const start = performance.now();
  const results = await Promise.all(runs.map((one) => runOne(workflow, cwd, one)));
  const ms = performance.now() - start;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  /** @type {Reply} */
  const reply = { ms, results, peakBytes };
  if (process.connected) process.send?.(reply);
}

/**
 * @param {Order['workflow']} workflow
 * @param {string} cwd
 * @param {Order['runs'][number]} run
 * @returns {Promise<Result>}
 */
async function runOne(workflow, cwd, { name, profile }) {
  /** @type {number[]} */
  const attemptMs = [];
  /** @type {string[]} */
  const notes = [];
  const profiles = {
    ...workflow.profiles,
    ...(profile !== undefined && { agent: { adapter: 'command', ...profile } }),
  };
  try {
    const result = await run(
      { ...workflow, profiles },
      {
        cwd,
        name,
        task: 'do it',
        env: process.env,
        adapters,
        signal: gone.signal,
        onEvent(event) {
          if (event.type === 'attempt-started') attemptMs.push(-performance.now());
          if (event.type === 'attempt-ended') attemptMs[attemptMs.length - 1] += performance.now();
          if (event.type === 'note') notes.push(event.text);
        },
      },
    );
    return { ...result, attemptMs, notes };
  } catch (error) {
    // What the library throws is a failure of this run only: the others go on and are counted.
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const nothing = {
      branch: '',
      base: '',
      commits: [],
      problems: [],
      attempts: [],
      directory: '',
    };
    return { runId: name, state: 'failed', reason, ...nothing, attemptMs, notes };
  }
}
