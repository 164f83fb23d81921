import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Rig, type ScriptedPhase, scriptedWorkflow } from './rig.js';

const built = fileURLToPath(new URL('../dist/index.js', import.meta.url));

/** A devflow in a process of its own, which can be killed. */
export function runElsewhere({ repository }: Rig, phases: readonly ScriptedPhase[]): ChildProcess {
  const program = path.join(repository.directory, 'holder.mjs');
  const options = {
    task: 'add a greeting',
    name: 'test',
    cwd: repository.root,
    env: repository.env,
  };
  writeFileSync(
    program,
    `import { run } from ${JSON.stringify(built)};
     import { command } from ${JSON.stringify(built.replace('index.js', 'command/index.js'))};
     await run(${JSON.stringify(scriptedWorkflow(phases))}, { ...${JSON.stringify(options)}, adapters: [command()] });`,
  );
  const child = fork(program, { stdio: 'inherit', env: repository.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
