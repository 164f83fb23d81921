import { describe, expect, it } from 'vitest';
import { giveAnswer } from '../src/testing/index.js';
import { done, expectNothingLeft, outcomes, rig } from './rig.js';

describe('an agent', () => {
  it('that is not installed stops the run before anything is made', async () => {
    const used = await rig();
    const workflow = {
      profiles: { 'agent-1': { adapter: 'command', command: ['no-such-agent'] } },
    };
    const result = await used.run([{ script: '' }], { workflow });
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(result.problems).toEqual([
      {
        code: 'AGENT_NOT_FOUND',
        message: expect.stringMatching(/"no-such-agent" is not in the PATH/),
        hint: expect.stringMatching(/Install it/),
      },
    ]);
    expect(await used.repository.git('branch', '--list', 'devflow/*')).toBe('');
    await expectNothingLeft(used);
  });

  it('whose child holds its output is over when it exits, and the child is ended', async () => {
    const used = await rig();
    const result = await used.run([{ script: `sleep 300 & ${done}` }]);
    expect(outcomes(result)).toEqual(['1 completed']);
    await expectNothingLeft(used);
  });

  it('whose child goes into a session of its own leaves nothing that could change the tree', async () => {
    const used = await rig();
    const escapee = `setsid sh -c 'trap "" TERM; while :; do sleep 0.05; done' >/dev/null 2>&1 </dev/null &`;
    const result = await used.run([{ script: `${escapee} ${done}` }]);
    expect(outcomes(result)).toEqual(['1 completed']);
    await expectNothingLeft(used);
  });

  it('that ignores TERM is ended at its time limit all the same', async () => {
    const used = await rig();
    const result = await used.run([
      { script: `trap '' TERM; while :; do sleep 0.1; done`, idleTimeout: '300ms' },
    ]);
    expect(outcomes(result)).toEqual(['1 idle']);
  });

  it('that works beyond its time limit is ended', async () => {
    const used = await rig();
    const result = await used.run([
      { script: 'while :; do echo busy; sleep 0.2; done', timeout: '1s' },
    ]);
    expect(outcomes(result)).toEqual(['1 timed-out']);
  });

  it('sees nothing of the environment but what is allowed', async () => {
    const used = await rig();
    const env = {
      ...used.repository.env,
      MY_TOKEN: 'secret-value',
      GIT_DIR: '/nowhere',
      WANTED: 'yes please',
    };
    const script = `env >seen; git add .; git commit -qm seen; ${giveAnswer()}`;
    const workflow = {
      profiles: {
        'agent-1': {
          adapter: 'command',
          command: ['/bin/sh', '-c', script],
          envFrom: ['WANTED'],
          env: { OWN: '1' },
        },
      },
    };
    await used.run([{ script: '' }], { env, workflow });
    const seen = await used.repository.git('show', 'devflow/test/work:seen');
    expect(seen).not.toMatch(/MY_TOKEN|GIT_DIR/);
    expect(seen).toMatch(/^WANTED=yes please$/m);
    expect(seen).toMatch(/^OWN=1$/m);
    expect(seen).toMatch(/^PWD=.*worktrees/m);
  });
});
