import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Probe, ProbeAnswer, ProbeOptions } from '../adapter/index.js';
import { runCommand } from '../process/command.js';
import { effect } from '../process/effect.js';
import { findProgram } from '../process/program.js';
import { makeDirectory, readIfThere, writeDurably } from '../state/files.js';

const DEFAULT_TIMEOUT_MS = 20_000;

/** What an adapter may ask before a launch, in the agent's environment. */
export function createProbe(facts: Omit<Probe, 'find' | 'ask'>, stateDir: string): Probe {
  const { cwd, env } = facts;
  return {
    ...facts,
    find: (program) => Promise.resolve(findProgram(program, cwd, env)),
    async ask(
      program,
      args,
      { timeoutMs = DEFAULT_TIMEOUT_MS, cached = false, ...keep }: ProbeOptions = {},
    ) {
      const file = findProgram(program, cwd, env);
      if (file === undefined)
        return { status: undefined, stdout: '', stderr: `${program} is not in the PATH` };
      const cache = cached ? answerFile(stateDir, file, args) : undefined;
      const known = cache === undefined ? undefined : readAnswer(cache);
      if (known !== undefined) return known;
      const limits = { timeoutMs, ...keep };
      const ended = await effect('program.ask', () =>
        runCommand([file, ...args], { cwd, env, ...limits }),
      );
      const { status, stdout, stderr, timedOut } = ended;
      const answer = { status, stdout, stderr, ...(timedOut && { timedOut }) };
      if (cache !== undefined && status === 0) writeAnswer(cache, answer);
      return answer;
    },
  };
}

/** Where an answer is kept that depends on the program file only: its path, size and time name it. */
function answerFile(stateDir: string, program: string, args: readonly string[]): string {
  const file = realpathSync(program);
  const { size, mtimeMs } = statSync(file);
  const key = createHash('sha256')
    .update(JSON.stringify([file, size, mtimeMs, args]))
    .digest('hex');
  return path.join(stateDir, 'programs', `${key.slice(0, 32)}.json`);
}

const remembered = new Map<string, ProbeAnswer>();

function readAnswer(file: string): ProbeAnswer | undefined {
  const known = remembered.get(file);
  if (known !== undefined) return known;
  try {
    const answer = ANSWER.parse(JSON.parse(readIfThere(file) ?? ''));
    remembered.set(file, answer);
    return answer;
  } catch {
    return undefined; // not there, or damaged: the program is asked again
  }
}

function writeAnswer(file: string, answer: ProbeAnswer): void {
  remembered.set(file, answer);
  try {
    effect('program.remember', () => {
      makeDirectory(path.dirname(file));
      writeDurably(file, JSON.stringify(answer));
    });
  } catch {
    // The answer is known; only the next devflow has to ask again.
  }
}

const ANSWER = z.object({ status: z.number(), stdout: z.string(), stderr: z.string() });
