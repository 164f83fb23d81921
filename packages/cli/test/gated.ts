/** Runs with gates, in the repository of the test that runs. */
import type { GateFacts, PhaseDefinition } from '@devflow/core';
import type { RunStatus } from '@devflow/core/status';
import { commitFile, giveAnswer } from '@devflow/core/testing';
import { here } from './own-adapters.js';
import { onePhase } from './workflows.js';

const SUMMARY = giveAnswer({ status: 'success', summary: 'made it' });
export const WORK = `cat >>'prompts.txt'; git add .; ${commitFile('made.txt')} || { git commit -q --allow-empty -m More; }; echo 'What I did: all of it.'; ${SUMMARY}`;
export const phase = (id: number, name: string, more: Partial<PhaseDefinition> = {}) => ({
  ...onePhase('', more).phases[0],
  id,
  name,
});
export const configureGated = (...phases: object[]) =>
  here.write({
    'devflow.config.json': JSON.stringify({ ...onePhase(WORK), phases }),
  });
export const status = async (run = 'it') =>
  JSON.parse((await here.devflow(['status', run, '--json'])).stdout) as RunStatus;
export const gates = async () =>
  JSON.parse((await here.devflow(['gates', '--json'])).stdout) as GateFacts[];
export const start = (...more: string[]) =>
  here.devflow(['run', 'Add it', '--name', 'it', ...more]);
export const stays = async (...more: string[]) => {
  const run = here.start(['run', 'Add it', '--name', 'it', '--wait', ...more]);
  await run.says('staying for the answer');
  return run;
};
export const prompts = () => here.git('show', 'devflow/it/work:prompts.txt');
