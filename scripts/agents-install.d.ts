/** The path of an installed agent's binary, or undefined where it is not installed. */
export function installedAgent(name: string, env?: NodeJS.ProcessEnv): string | undefined;

/** Installs an agent unless it is there already, and gives the path of its binary. */
export function installAgent(name: string, env?: NodeJS.ProcessEnv): string;

/** The same for any other version, or a tag such as `latest`. */
export function installVersion(
  name: string,
  wanted: string,
  env?: NodeJS.ProcessEnv,
): { version: string; binary: string };
