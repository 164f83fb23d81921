import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { launched } from './agents.js';
import { walk } from './walk.js';

await walk({
  id: 'conditional',
  name: 'a run that skips a phase, and goes back for what was rejected',
  workflow: (outside) => ({
    profiles: {
      worker: scriptedAgent(
        `${launched(outside, 'worker')}; ${commitFile('work-$n').replaceAll("'", '"')}; ${giveAnswer()}`,
      ),
    },
    phases: [
      { id: 1, name: 'plan', agent: 'worker', prompt: '{{task}}', when: 'run.attempts < 0' },
      {
        id: 2,
        name: 'code',
        agent: 'worker',
        prompt: '{{task}}',
        when: 'phases.plan.outcome == "skipped"',
        checks: [{ name: 'made', command: ['test', '-e', 'work-2'] }],
        onRejected: { goto: 'plan', max: 1 },
      },
    ],
  }),
  command: ['run', 'Add files', '--name', 'test'],
  recoveries: [
    ['resume', 'test'],
    ['run', 'Add files', '--name', 'test'],
  ],
  // All else is walked by others.
  only: /condition-held|phase-skipped|phase-entered|run-ended/,
});
