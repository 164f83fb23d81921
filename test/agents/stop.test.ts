/** Whatever becomes of the agent or of devflow: once the run is over nothing of it is alive, and the checkout is as it was. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunResult, stop } from '@devflow/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contentOf } from '../../packages/core/test/content-of.ts';
import { processesOf, until } from '../../packages/core/test/rig.ts';
import { call, say, shell } from '../model-server/scenarios.ts';
import { type AgentName, type PreparedRun, prepareRun, runAgent } from './agent-rig.ts';
import { agentOf, answer, isAsleep } from './cases.ts';

/** A tool call under way, and one that its agent has no longer in hand. */
const sleeping = shell(
  'echo half >half.txt; setsid sleep 318 >/dev/null 2>&1 </dev/null & sleep 317',
);
const options = { phases: [{ idleTimeout: '1m' }], script: [call(sleeping), say(answer())] };
const isAtWork = (directory: string) => isAsleep(directory, '317') && isAsleep(directory, '318');
const runDirectory = (root: string) => path.join(root, '.git/devflow/runs/real');

interface AtWork {
  /** The attempt's directory. */
  readonly attempt: string;
  readonly root: string;
}

/** Runs the agent here and does something once both sleep. @returns the result, when nothing is left and nothing changed */
async function whileAtWork(
  agent: AgentName,
  act: (at: AtWork) => void,
  signal?: AbortSignal,
): Promise<RunResult> {
  let before: string[] = [];
  const { result, repository } = await runAgent(agent, {
    ...options,
    ...(signal !== undefined && { signal }),
    onEvent(event, { directory, root }) {
      if (event.type !== 'attempt-started') return;
      const attempt = event.directory;
      void until(() => isAtWork(directory), 120_000).then(() => {
        before = contentOf(worktreeIn(root));
        return act({ attempt, root });
      });
    },
  });
  expect(processesOf(repository.directory)).toEqual([]);
  expect(before.join()).toContain('half.txt');
  expect(contentOf(result.worktree ?? '')).toEqual(before);
  return result;
}

/** The run's worktree, by its journal. */
function worktreeIn(root: string): string {
  const journal = readFileSync(path.join(runDirectory(root), 'journal.jsonl'), 'utf8');
  const [, directory = ''] = /"worktree-ready".*?"directory":"([^"]+)"/.exec(journal) ?? [];
  return directory;
}

const built = (name: string) =>
  fileURLToPath(new URL(`../../packages/${name}/dist/index.js`, import.meta.url));

/** The run in a process of its own, which can be killed. */
function holderOf({ repository, workflow, run }: PreparedRun, agent: AgentName) {
  const program = path.join(repository.directory, 'holder.mjs');
  const values = `${JSON.stringify(workflow)}, { ...${JSON.stringify(run)}, adapters: [${agent}()] }`;
  writeFileSync(
    program,
    `import { run } from '${built('core')}';
     import { ${agent} } from '${built(`adapter-${agent}`)}';
     await run(${values});`,
  );
  const child = spawn(process.execPath, [program], { stdio: 'ignore', env: run.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe.each<AgentName>(['claude', 'codex', 'opencode'])('%s with tools under way', (agent) => {
  test('is ended by a signal that is aborted', async () => {
    const controller = new AbortController();
    const result = await whileAtWork(agent, () => controller.abort(), controller.signal);
    expect(result).toMatchObject({ state: 'stopped', attempts: [{ outcome: 'stopped' }] });
  });

  test('has crashed where its own process is killed, and its tools end with it', async () => {
    const result = await whileAtWork(agent, ({ attempt }) =>
      process.kill(agentOf(attempt), 'SIGKILL'),
    );
    expect(result).toMatchObject({ state: 'failed', attempts: [{ outcome: 'crashed' }] });
  });

  test('is ended by stop where devflow was killed', async () => {
    const prepared = await prepareRun(agent, options);
    const { directory, root, env } = prepared.repository;
    const holder = holderOf(prepared, agent);
    await until(() => isAtWork(directory), 120_000);
    const worktree = worktreeIn(root);
    const before = contentOf(worktree);
    const gone = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await gone;
    expect(processesOf(directory)).not.toEqual([]);
    expect(await stop('real', { cwd: root, env })).toMatchObject({ state: 'stopped' });
    expect(processesOf(directory)).toEqual([]);
    expect(before.join()).toContain('half.txt');
    expect(contentOf(worktree)).toEqual(before);
  });
});
