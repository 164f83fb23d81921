import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kill } from './holder-process.js';
import { isThere, launches, letGo, patient } from './patient-agent.js';
import { expectNothingLeft, objections, outcomes, processesOf, rig, until } from './rig.js';
import { sourceProgram } from './source-program.js';
import { LIVE, finish, spend, spender } from './spending-agent.js';

const built = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const agents = sourceProgram(
  `export * from '${fileURLToPath(new URL('spending-agent.ts', import.meta.url))}';`,
);

/** A devflow in a process of its own, whose agent states what it uses; it can go on with 100 tokens. */
async function begin(rest: string) {
  const used = await rig();
  const script = `${spend(60)}; ${patient(used.repository, rest)}`;
  const workflow = {
    budget: { tokens: 100 },
    phases: [{ id: 1, name: 'one', prompt: 'x', agent: 'spender', retries: 0 }],
  };
  const { root: cwd, env, directory } = used.repository;
  const program = path.join(directory, 'holder.mjs');
  writeFileSync(
    program,
    `import { run } from ${JSON.stringify(built)};
     import { LIVE, spender } from ${JSON.stringify(agents())};
     const options = ${JSON.stringify({ task: 'it', name: 'test', cwd, env })};
     const adapters = [spender(${JSON.stringify(script)}, LIVE)];
     await run(${JSON.stringify(workflow)}, { ...options, adapters });`,
  );
  const holder: ChildProcess = fork(program, { stdio: 'inherit', env });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await until(isThere(used));
  await kill(holder);
  const options = { adapters: [spender(script, LIVE)] };
  return { ...used, resumed: (more = {}) => used.resume('test', { ...options, ...more }) };
}

describe('a budget after kill -9 of devflow', () => {
  it('has all that the agent stated, before and after, and ends it at the limit', async () => {
    const used = await begin(`${spend(60)}; while :; do sleep 0.05; done`);
    letGo(used);
    const result = await used.resumed();
    expect(outcomes(result)).toEqual(['1 over-budget']);
    expect(objections(result)[0]).toContain('the budget of the run is used up: 120 of 100 tokens');
    expect(launches(used)).toBe(1);
    expect(processesOf(used.repository.directory)).toEqual([]);
  });

  it('can be raised for an agent that still works', async () => {
    const work = `git commit --quiet --allow-empty --message x; echo a >a; git add a; git commit --quiet --message a`;
    const used = await begin(`${work}; ${finish(60)}`);
    const resumed = used.resumed({ budget: { tokens: 500 } });
    await until(() => used.events.some(({ type }) => type === 'attempt-started'));
    letGo(used);
    expect(await resumed).toMatchObject({
      state: 'completed',
      budget: { limit: { tokens: 500 }, spent: { tokens: 120 } },
    });
    expect(launches(used)).toBe(1);
    await expectNothingLeft(used);
  });
});
