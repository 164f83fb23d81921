import { existsSync } from 'node:fs';
import os from 'node:os';
import type { Problem } from '../adapter/index.js';
import { DevflowError } from '../errors.js';
import { tryGit } from '../git/git.js';
import type { CommonOptions } from '../hold.js';
import { WITHOUT_CGROUP, cgroupPlace } from '../process/cgroup.js';

/** One thing that was looked at. */
export interface Finding {
  /** `git`, `agent claude`, `run add-a-flag-3f9a1`. */
  readonly what: string;
  /** What was found, in words. */
  readonly found: string;
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

/** Oldest Node.js and git that devflow works with. */
const NODE = [20, 19] as const;
const GIT = [2, 31] as const;

/** Nothing stands in the way without it; said here, and not in each run. */
const NO_CGROUP = `no control group of the second version can be made below devflow's own: ${WITHOUT_CGROUP}`;

export function asProblem(error: unknown): Problem {
  if (error instanceof DevflowError) {
    const { code, message, hint } = error;
    return { code, message, hint };
  }
  throw error;
}

export function lookAtPlatform(): Finding {
  const found = `${process.platform} ${process.arch}, ${os.release()}`;
  const supported = process.platform === 'linux' && existsSync('/proc/self/stat');
  const problem = {
    code: 'PLATFORM_UNSUPPORTED',
    message: `devflow does not run on ${process.platform} yet`,
    hint: 'Run devflow on Linux (WSL 2 counts): it supervises agents through /proc.',
  };
  const notes = supported && cgroupPlace() === undefined ? [NO_CGROUP] : [];
  return { what: 'platform', found, problems: supported ? [] : [problem], notes };
}

export function lookAtNode(): Finding {
  const found = process.versions.node;
  return { what: 'node', found, problems: tooOld('Node.js', found, NODE), notes: [] };
}

export async function lookAtGit({ cwd, env }: CommonOptions): Promise<Finding> {
  try {
    const { stdout } = await tryGit(existsSync(cwd) ? cwd : '/', ['--version'], env);
    const found = /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
    return { what: 'git', found, problems: tooOld('git', found, GIT), notes: [] };
  } catch (error) {
    return { what: 'git', found: 'none', problems: [asProblem(error)], notes: [] };
  }
}

function tooOld(
  program: string,
  version: string,
  [major, minor]: readonly [number, number],
): Problem[] {
  const [hasMajor = 0, hasMinor = 0] = version.split('.').map(Number);
  if (hasMajor > major || (hasMajor === major && hasMinor >= minor)) return [];
  const needed = `${program} ${major}.${minor} or later`;
  return [
    {
      code: 'VERSION_UNSUPPORTED',
      message: `this is ${program} ${version}; devflow needs ${needed}`,
      hint: `Install ${needed}.`,
    },
  ];
}
