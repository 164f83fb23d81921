import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowDefinition } from '@devflow/core';
import { type TemporaryRepository, temporaryRepository } from '@devflow/core/testing';
import { requireFreshBuild } from '../../packages/cli/test/built.js';
import { PROGRAM, processesOf } from '../../packages/cli/test/command-line.js';

requireFreshBuild();

const WATCH = new URL('./watch-effects.mjs', import.meta.url).href;
const HOLD = new URL('./hold-claims.mjs', import.meta.url).href;

/** A repository with devflow in it, of which every effect can be seen, or be the last. */
export interface Place extends TemporaryRepository {
  /** The directory of the run `test`. */
  readonly run: string;
  /** Was devflow, or what it started of itself, killed where that was asked for? */
  wasKilled(): boolean;
  /** Runs the built program to its end, whatever that is. */
  devflow(args: readonly string[], at?: At): Promise<Ended>;
}

export interface At {
  /** The point at which it is killed, as {@link pointsOf} names it. */
  readonly kill?: string;
  /** A file to which its points are written. */
  readonly trace?: string;
  /** A file that names the wrappers: they stand still before they take their claim. */
  readonly holdClaims?: string;
}

export interface Ended {
  readonly code: number | undefined;
  readonly output: string;
}

export async function makePlace(
  workflow: (outside: string) => WorkflowDefinition,
  files: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const repository = await temporaryRepository({
    files: { 'README.md': '# A repository\n', ...files },
  });
  const { root, env, directory } = repository;
  const killed = path.join(directory, 'killed');
  const config = JSON.stringify(workflow(directory));
  await repository.commit({ 'devflow.config.json': config }, 'Configure devflow');
  return {
    ...repository,
    run: path.join(root, '.git', 'devflow', 'runs', 'test'),
    wasKilled: () => existsSync(killed),
    devflow: (args, { kill, trace, holdClaims } = {}) =>
      new Promise((resolve) => {
        rmSync(killed, { force: true });
        const child = spawn(process.execPath, [PROGRAM, ...args], {
          cwd: root,
          env: {
            ...env,
            NODE_OPTIONS: imports(holdClaims),
            ...(kill !== undefined && { DEVFLOW_TEST_KILL: kill, DEVFLOW_TEST_KILLED: killed }),
            ...(trace !== undefined && { DEVFLOW_TEST_TRACE: trace }),
            ...(holdClaims !== undefined && { DEVFLOW_TEST_WRAPPERS: holdClaims }),
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let output = '';
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => (output += text));
        child.once('exit', (code, signal) => {
          // What it leaves may hold the pipes for as long as it lives.
          const done = () => resolve({ code: code ?? undefined, output });
          if (signal === null) child.once('close', done);
          else done();
        });
      }),
    remove() {
      const left = processesOf(repository.home);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      repository.remove();
    },
  };
}

function imports(holdClaims: string | undefined): string {
  return `--import=${WATCH}${holdClaims === undefined ? '' : ` --import=${HOLD}`}`;
}

/** The points of a trace, in their order. */
export function pointsOf(trace: string): string[] {
  return readFileSync(trace, 'utf8').trimEnd().split('\n');
}
