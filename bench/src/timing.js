/**
 * Runs a program to its end.
 * @param {import('./world.js').World} world
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} milliseconds
 */
export function timeProgram(world, program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = world.start(program, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      ...options,
    });
    child.once('error', reject);
    child.once('exit', (status, signal) => {
      const elapsed = performance.now() - start;
      if (status === 0) resolve(elapsed);
      else reject(new Error(`${program} ${args.join(' ')} ended with ${signal ?? status}`));
    });
  });
}
