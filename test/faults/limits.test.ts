import { setTimeout as delay } from 'node:timers/promises';
import { addLimitedAgent } from './adapters.js';
import { walk } from './walk.js';

const run = ['run', 'Add a file', '--name', 'test'];
const limits = {
  workflow: () => ({
    phases: [{ id: 1, name: 'code', agent: 'own', prompt: '{{task}}', retries: 0 }],
  }),
  // All else is walked by others.
  only: /limit\.|run-waiting|wait-over|run-resumed/,
};

await walk({
  ...limits,
  id: 'limited',
  name: 'a run that stays until a limit has ended',
  prepare: addLimitedAgent,
  command: [...run, '--wait'],
  recoveries: [['resume', 'test', '--wait']],
});

await walk({
  ...limits,
  id: 'due',
  name: 'a run whose limit has ended, taken up because it is due',
  async prepare(place) {
    await addLimitedAgent(place);
    await place.devflow(run);
    for (;;) {
      const { output } = await place.devflow(['status', 'test', '--json']);
      if ((JSON.parse(output) as { state: string }).state === 'due') return;
      await delay(100);
    }
  },
  command: ['resume', '--due'],
  recoveries: [['resume', 'test', '--wait']],
});
