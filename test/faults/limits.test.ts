import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commitFile, giveAnswer } from '@devflow/core/testing';
import { launched } from './agents.js';
import type { Place } from './devflow.js';
import { walk } from './walk.js';

const run = ['run', 'Add a file', '--name', 'test'];

/** An adapter whose agent is ended by a limit at its first launch; the reset is near. */
async function addLimitedAgent({ commit, devflow, directory }: Place): Promise<void> {
  const work = `test $n = 1 && { echo LIMITED; exit 1; }; ${commitFile('made.txt')}; ${giveAnswer()}`;
  const script = `${launched(directory, 'limited')}; ${work}`;
  const adapter = `
    export const adapter = {
      name: 'limited',
      capabilities: { modes: ['work'] },
      execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', ${JSON.stringify(script)}], stdin: prompt }),
      completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
      preflight: async () => ({ problems: [], notes: [], account: 'subscription' }),
      createParser() {
        const lines = [];
        return {
          line: (text) => { lines.push(text); return []; },
          openCalls: () => 0,
          result() {
            if (!lines.includes('LIMITED')) return { turn: 'finished', finalText: lines.join('\\n') };
            const resetsAt = new Date(Date.now() + 300).toISOString();
            return { turn: 'failed', failure: { kind: 'rate-limited', message: 'too much', resetsAt } };
          },
        };
      },
    };`;
  await commit({ [path.join('.devflow', 'adapters', 'limited.mjs')]: adapter });
  await devflow(['adapters', '--accept', 'limited']);
}

const limits = {
  workflow: () => ({
    phases: [{ id: 1, name: 'code', agent: 'limited', prompt: '{{task}}', retries: 0 }],
  }),
  // All else is walked by others.
  only: /limit\.|run-waiting|wait-over|run-resumed/,
};

await walk({
  ...limits,
  name: 'a run that stays until a limit has ended',
  prepare: addLimitedAgent,
  command: [...run, '--wait'],
  recoveries: [['resume', 'test', '--wait']],
});

await walk({
  ...limits,
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
