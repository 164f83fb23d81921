import { programFile } from './programs.js';

/**
 * A process of programs/ that obeys orders, one at a time.
 * @template Order, Reply
 * @typedef {object} Worker
 * @property {(order: Order) => Promise<Reply>} ask
 * @property {() => Promise<void>} close
 */

/**
 * @template Order, Reply
 * @param {import('./world.js').World} world
 * @param {string} program file in programs/
 * @param {readonly string[]} args
 * @returns {Promise<Worker<Order, Reply>>}
 */
export async function startWorker(world, program, args = []) {
  const child = world.start(process.execPath, [programFile(program), ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const next = () =>
    new Promise((resolve, reject) => {
      /** @param {number | null} status */
      const onExit = (status) => reject(new Error(`${program} ended with ${status}`));
      child.once('exit', onExit);
      child.once('error', reject);
      child.once('message', (message) => {
        child.off('exit', onExit);
        child.off('error', reject);
        resolve(message);
      });
    });
  await next();
  return {
    ask(order) {
      const reply = next();
      child.send(/** @type {any} */ (order));
      return /** @type {Promise<any>} */ (reply);
    },
    close() {
      const exited = new Promise((resolve) => child.once('exit', () => resolve(undefined)));
      child.disconnect();
      return /** @type {Promise<any>} */ (exited);
    },
  };
}

/**
 * @param {import('./world.js').World} world
 * @param {string} library directory of the built library
 * @param {string} [claudeModule] module of the Claude adapter
 * @returns {Promise<Worker<import('../programs/devflow.js').Order, import('../programs/devflow.js').Reply>>}
 */
export function startDevflow(world, library, claudeModule) {
  const more = claudeModule === undefined ? [] : [claudeModule];
  return startWorker(world, 'devflow.js', [library, ...more]);
}
