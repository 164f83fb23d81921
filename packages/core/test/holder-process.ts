import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isThere, patient } from './patient-agent.js';
import { type Rig, type ScriptedPhase, scriptedWorkflow, until } from './rig.js';

const built = fileURLToPath(new URL('../dist/index.js', import.meta.url));

/** A devflow in a process of its own, which can be killed. @param through a program that starts another */
export function runElsewhere(
  { repository }: Rig,
  phases: readonly ScriptedPhase[],
  through: readonly string[] = [],
): ChildProcess {
  const options = {
    task: 'add a greeting',
    name: 'test',
    cwd: repository.root,
    env: repository.env,
  };
  return start(
    repository,
    `await run(${JSON.stringify(scriptedWorkflow(phases))}, { ...${JSON.stringify(options)}, adapters: [command()] });`,
    through,
  );
}

/** Leaves an agent at work, by default the patient one. @returns its devflow, which was killed */
export async function leaveAtWork(
  used: Rig,
  phases: readonly ScriptedPhase[] = [{ script: patient(used.repository) }],
): Promise<ChildProcess> {
  const holder = runElsewhere(used, phases);
  await until(isThere(used));
  await kill(holder);
  return holder;
}

/** Stops the run in a process of its own. */
export function stopElsewhere({ repository }: Rig, through: readonly string[]): ChildProcess {
  const { root: cwd, env } = repository;
  return start(repository, `await stop('test', ${JSON.stringify({ cwd, env })});`, through);
}

/** What it throws is in the file `holder-error`, as `CODE: words`. */
function start(
  { directory, env }: Rig['repository'],
  code: string,
  through: readonly string[],
): ChildProcess {
  const program = path.join(directory, 'holder.mjs');
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs';
     import { run, stop } from ${JSON.stringify(built)};
     import { command } from ${JSON.stringify(built.replace('index.js', 'command/index.js'))};
     try { ${code} } catch (error) {
       writeFileSync(${JSON.stringify(path.join(directory, 'holder-error'))}, error.code + ': ' + error.message);
       throw error;
     }`,
  );
  const [first, ...rest] = [...through, process.execPath, program];
  const child = spawn(first ?? process.execPath, rest, {
    stdio: ['ignore', 'inherit', 'ignore'],
    env,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
