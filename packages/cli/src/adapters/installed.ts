import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isTracked } from '@devflow/core/directory';
import type { Place } from '../place.js';

/**
 * The code of a package that a person has to confirm. None where somebody has installed it: it lies in the very
 * `node_modules` that is looked up from the configuration, and git tracks nothing there. What git tracks came with
 * the repository: then it is the whole package; of one that is linked there from elsewhere it is its module.
 *
 * @param file the module that the package's name leads to @param base the directory of the configuration
 * @throws DevflowError GIT_FAILED, GIT_NOT_FOUND
 */
export async function localCode(
  file: string,
  name: string,
  base: string,
  env: Place['env'],
): Promise<string | undefined> {
  const packageName = /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
  const modules = modulesWith(packageName, base);
  if (modules === undefined) return file;
  const real = realpathSync(modules);
  if (!realpathSync(file).startsWith(`${real}${path.sep}`)) return file;
  // A tracked link to what is not tracked is the repository's choice of code as well.
  const isOfRepository = (await isTracked(modules, env)) || (await isTracked(real, env));
  return isOfRepository ? path.join(modules, packageName) : undefined;
}

/** The nearest `node_modules` upward that has the package, as Node.js looks for it. */
function modulesWith(packageName: string, directory: string): string | undefined {
  const modules = path.join(directory, 'node_modules');
  if (existsSync(path.join(modules, packageName))) return modules;
  const parent = path.dirname(directory);
  return parent === directory ? undefined : modulesWith(packageName, parent);
}
