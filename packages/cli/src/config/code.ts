import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Jiti } from 'jiti';

/** What code of the user's may import of devflow, where the repository has not installed it too. */
const OWN = [
  'devflow',
  '@devflow/core/adapter',
  '@devflow/core/command',
  '@devflow/core/directory',
  '@devflow/core',
];

/**
 * Loads a module of the user's, TypeScript or JavaScript. jiti also reads ES modules in packages that are
 * CommonJS, and finds devflow where the repository has not installed it; cosmiconfig's own loader for
 * TypeScript needs an API that TypeScript 7 does not have.
 *
 * @param options `default`: its default export rather than all it exports
 */
export async function importCode(file: string, options?: { default: true }): Promise<unknown> {
  const jiti = await openJiti();
  keepOffStdout();
  return jiti.import(file, options);
}

/** The file that a package's name leads to from a directory; undefined where it is not installed there. */
export async function resolvePackage(name: string, directory: string): Promise<string | undefined> {
  if (isBuiltin(name)) return undefined; // a module of Node.js
  const jiti = await openJiti();
  const url = jiti.esmResolve(name, { parentURL: `${directory}/`, try: true });
  return url === undefined ? undefined : fileURLToPath(url);
}

async function openJiti(): Promise<Jiti> {
  const { createJiti } = await import('jiti');
  if (!process.listeners('unhandledRejection').includes(dropStray))
    process.on('unhandledRejection', dropStray);
  const own = (name: string) => [name, fileURLToPath(import.meta.resolve(name))] as const;
  return createJiti(import.meta.url, {
    fsCache: false, // it would write beside the user's files
    moduleCache: false,
    alias: Object.fromEntries(OWN.map(own)),
  });
}

/**
 * Where a file that is imported cannot be parsed, jiti says so, and leaves an import of its own behind for which
 * nobody waits: it would end the process. Anything else that nobody waits for still does.
 */
function dropStray(reason: unknown): void {
  const isStray = reason instanceof SyntaxError && reason.stack?.includes('/jiti/') === true;
  if (!isStray) throw reason;
}

/**
 * What code of the user's prints goes to stderr, from the first of it on and for good: hooks and adapters are called
 * long after they were loaded. stdout is for what was asked for, `--json` above all; devflow itself has kept the
 * way to it (terminal.ts). On a terminal there is nothing to spoil, and what is drawn there needs stdout as it is.
 * What goes past Node.js's streams (`fs.writeSync(1, …)`, a child that inherits stdout) cannot be caught.
 */
function keepOffStdout(): void {
  const { stdout, stderr } = process;
  if (!stdout.isTTY) stdout.write = stderr.write.bind(stderr);
}
