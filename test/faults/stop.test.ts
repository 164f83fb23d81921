import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scriptedAgent } from '@devflow/core/testing';
import { launched, patient } from './agents.js';
import { walk } from './walk.js';

const stop = { command: ['stop', 'test'], recoveries: [['stop', 'test']] };
const run = ['run', 'Add a file', '--name', 'test'];
const phase = { id: 1, name: 'code', prompt: '{{task}}', retries: 0 };
/** Whether a holder was there to record it decides whether the attempt has an end of its own. */
const settle = (steps: readonly string[]) =>
  steps.filter((step) => !step.startsWith('attempt-ended'));

const onePatientPhase = (outside: string) => ({
  profiles: { patient: patient(outside) },
  phases: [{ ...phase, agent: 'patient' }],
});

await walk({
  id: 'left',
  name: 'stopping a run whose devflow died',
  workflow: onePatientPhase,
  async prepare(place) {
    await place.devflow(run, { kill: 'before attempt.events #1' });
    // Somebody had asked before it died.
    writeFileSync(path.join(place.run, 'inbox', 'stop-1.json'), '{}');
  },
  settle,
  ...stop,
});

await walk({
  id: 'asked',
  name: 'asking a living devflow to stop its run',
  only: /run\.lock #1$|inbox/, // it looks again and again, as often as that takes
  workflow: onePatientPhase,
  async prepare({ devflow, directory }) {
    void devflow(run);
    while (!existsSync(path.join(directory, 'launches'))) await delay(20);
  },
  settle,
  ...stop,
});

await walk({
  id: 'stopped',
  name: 'a run that is stopped',
  workflow: (outside) => ({
    profiles: {
      // As `devflow stop` writes it; nobody waits for the answer.
      stopper: scriptedAgent(
        `${launched(outside, 'stopper')}; echo '{"v":1,"type":"stop"}' >"$DEVFLOW_RUN_DIRECTORY/inbox/stop-1.json"; exec sleep 600`,
      ),
    },
    phases: [{ ...phase, agent: 'stopper' }],
  }),
  command: run,
  recoveries: [['stop', 'test']],
  only: /inbox|attempt\.(?:end|unlock)|attempt-ended|run-ended|run\.(?:mark-ended|unlock)/,
  settle,
});
