import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { claudeAgent } from '../src/claude-agent.js';
import { figure, skipped } from '../src/figure.js';
import { programFile } from '../src/programs.js';
import { makeRepository } from '../src/repository.js';
import { median, quantile } from '../src/statistics.js';
import { startDevflow } from '../src/worker.js';

export const title = "From an agent's exit to the next agent's start";

const PHASES = 20;
const AT_MOST_MS = 40;

/** @type {import('../src/case.js').MeasureCase} */
export async function* measure(context) {
  const { world, library, rounds } = context;
  const repository = makeRepository(world);
  const log = path.join(world.directory, 'times');
  const devflow = await startDevflow(world, library);
  /** @type {readonly { script: string, requires: import('../src/workflows.js').Evidence[] }[]} */
  const variants = [
    { script: 'talker.sh', requires: ['answer'] },
    { script: 'agent.sh', requires: ['answer', 'commit', 'clean'] },
  ];
  for (const { script, requires } of variants) {
    const names = phaseNames(PHASES);
    const profiles = Object.fromEntries(
      names.map((name) => [
        name,
        { adapter: 'command', command: ['sh', programFile(script), name, log] },
      ]),
    );
    const workflow = workflowOf(names, requires, (name) => name, profiles);
    yield await gapsOf(`command, requires ${requires.join(', ')}`, rounds(10), async (round) => {
      await runPhases(devflow, repository, workflow, `${script[0]}-${round}`);
      return takeGaps(log, names.length);
    });
  }
  await devflow.close();
  yield await withClaude(context, repository, log);
}

/**
 * The real Claude Code CLI, its model scripted: each phase writes a file and commits it.
 * @param {import('../src/case.js').CaseContext} context
 * @param {import('../src/repository.js').Repository} repository
 * @param {string} log
 */
async function withClaude({ world, library, root, quick, rounds }, repository, log) {
  const claude = await claudeAgent(root, world, log);
  const name = 'claude, requires marker, commit, clean';
  if ('missing' in claude) return skipped(name, claude.missing);
  const names = phaseNames(quick ? 2 : 5);
  const devflow = await startDevflow(world, library, claude.adapterModule);
  const workflow = workflowOf(names, ['answer', 'commit', 'clean'], () => 'claude', {
    claude: claude.profile,
  });
  try {
    return await gapsOf(name, rounds(10), async (round) => {
      await runPhases(devflow, repository, workflow, `claude-${round}`);
      return takeGaps(log, names.length);
    });
  } finally {
    await devflow.close();
    await claude.close();
  }
}

/**
 * @param {string} name
 * @param {number} rounds
 * @param {(round: number) => Promise<readonly number[]>} takeRound
 */
async function gapsOf(name, rounds, takeRound) {
  await takeRound(0);
  /** @type {number[]} */
  const gaps = [];
  for (let round = 1; round <= rounds; round += 1) gaps.push(...(await takeRound(round)));
  return figure({
    name: `${name}: 95 of 100 within`,
    value: quantile(gaps, 0.95),
    unit: 'ms',
    target: { atMost: AT_MOST_MS },
    detail: `median ${median(gaps).toFixed(1)} ms, most ${Math.max(...gaps).toFixed(1)} ms, of ${gaps.length}`,
  });
}

/** @param {number} count */
function phaseNames(count) {
  return Array.from({ length: count }, (_, index) => `phase-${index + 1}`);
}

/**
 * @param {readonly string[]} names
 * @param {import('../src/workflows.js').Evidence[]} requires
 * @param {(name: string) => string} agentOf the agent of a phase
 * @param {import('../src/workflows.js').WorkflowDefinition['profiles']} profiles
 * @returns {import('../src/workflows.js').WorkflowDefinition}
 */
function workflowOf(names, requires, agentOf, profiles) {
  const phases = names.map((name, index) => ({
    id: index + 1,
    name,
    prompt: `{{task}} in ${name}`,
    agent: agentOf(name),
    requires,
    retries: 0,
  }));
  return { name: 'bench', sandbox: 'none', maxAttempts: names.length, profiles, phases };
}

/**
 * @param {Awaited<ReturnType<typeof startDevflow>>} devflow
 * @param {import('../src/repository.js').Repository} repository
 * @param {import('../src/workflows.js').WorkflowDefinition} workflow
 * @param {string} name
 */
async function runPhases(devflow, repository, workflow, name) {
  const { results } = await devflow.ask({ workflow, cwd: repository.directory, runs: [{ name }] });
  const [result] = results;
  if (result?.state !== 'completed')
    throw new Error(
      `${name} ${result?.state}: ${result?.reason} ${JSON.stringify(result?.problems)}`,
    );
  repository.forgetRuns();
}

/**
 * What the agents noted, as the gaps between one's end and the next one's start, in milliseconds.
 * The programs that note it (`date`) are part of the gap: about 2 ms.
 * @param {string} log
 * @param {number} count how many agents noted their times, one after another
 */
function takeGaps(log, count) {
  const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
  rmSync(log, { force: true });
  const lines = text.trim().split('\n');
  const times = lines.map((line) => BigInt(/ (\d+)$/.exec(line)?.[1] ?? 0));
  const expected = Array.from({ length: 2 * count }, (_, index) =>
    index % 2 === 0 ? 'start' : 'end',
  );
  if (lines.map((line) => line.split(' ')[0]).join() !== expected.join())
    throw new Error(`expected the times of ${count} agents, found:\n${text}`);
  return Array.from({ length: count - 1 }, (_, index) => {
    const [end = 0n, start = 0n] = times.slice(2 * index + 1, 2 * index + 3);
    return Number(start - end) / 1e6;
  });
}
