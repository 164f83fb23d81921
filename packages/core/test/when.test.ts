import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerGate, status } from '../src/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { type Rig, expectError, expectNothingLeft, expectUntouched, outcomes, rig } from './rig.js';

const work = (file: string) => `cat >/dev/null; ${commitFile(file)}; ${giveAnswer()}`;
const types = (used: Rig) => used.journal('test').map(({ type }) => type);
const where = ({ repository }: Rig) => ({ cwd: repository.root, env: repository.env });
const wanted = { hook: 'wanted' };

describe('when', () => {
  it('an expression that is false skips the phase, with its reason, and later phases are told', async () => {
    const used = await rig();
    const reason = 'when: phases["step-1"].outcome != "completed" is false';
    const result = await used.run([
      { script: work('a') },
      { script: 'exit 1', when: 'phases["step-1"].outcome != "completed"' },
      {
        script: work('c'),
        when: 'phases["step-2"].outcome == "skipped" && run.attempts == 1',
        prompt: '{{phases.step-2.outcome}} | {{phases.step-2.text}}',
      },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '3 completed']);
    const skipped = [{ phase: 2, name: 'step-2', reason }];
    expect(result).toMatchObject({
      state: 'completed',
      reason: 'all phases are complete, but for those that were skipped: 2 step-2',
      skipped,
    });
    expect((await status('test', where(used))).skipped).toEqual(skipped);
    expect(used.events).toContainEqual(expect.objectContaining({ type: 'phase-skipped', reason }));
    const prompt = readFileSync(
      path.join(used.attempt('test', '03-step-3', 1), 'prompt.md'),
      'utf8',
    );
    const said = `(phase step-2 was skipped: ${reason})`;
    expect(prompt).toContain(`${said} | ${said}\n`);
    await expectNothingLeft(used);
  });

  it('a hook says yes or no, and why', async () => {
    const used = await rig();
    const asked: number[] = [];
    const hooks = {
      wanted({ phase, task, cwd }: { phase: { id: number }; task: string; cwd: string }) {
        asked.push(phase.id);
        expect([task, cwd !== '']).toEqual(['add a greeting', true]);
        if (phase.id === 2) return Promise.resolve({ run: false, reason: 'not on a Monday' });
        return phase.id !== 3;
      },
    };
    const phase = (name: string) => ({ script: work(name), when: wanted });
    const result = await used.run(['a', 'b', 'c', 'd'].map(phase), { hooks });
    expect(outcomes(result)).toEqual(['1 completed', '4 completed']);
    expect(result.skipped.map(({ reason }) => reason)).toEqual([
      'not on a Monday',
      'when: hook "wanted" said false',
    ]);
    expect(asked).toEqual([1, 2, 3, 4]);
  });

  it('is asked before the gate and the preflight, and once, whatever comes between', async () => {
    const used = await rig();
    let asked = 0;
    const hooks = { wanted: () => (asked += 1) === 1 };
    const first = await used.run(
      [{ script: work('a'), when: wanted, gate: 'before', preflight: [{ command: ['false'] }] }],
      { hooks },
    );
    expect(first).toMatchObject({ state: 'waiting', gate: { kind: 'preflight' } });
    expect(first.problems).toMatchObject([{ code: 'PREFLIGHT_COMMAND_FAILED' }]);
    await answerGate('test', { decision: 'approve' }, where(used));
    const second = await used.resume('test', { hooks });
    expect(second).toMatchObject({ state: 'waiting', gate: { kind: 'before' } });
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await used.resume('test', { hooks })).state).toBe('completed');
    expect(asked).toBe(1);
    expect(types(used).filter((type) => type === 'condition-held')).toHaveLength(1);
  });

  it.each([
    ['an expression', 'phases["step-1"].output.risk > 1', /\(when: .*\): No such key/],
    ['a hook that throws', { hook: 'throws' }, /hook "throws"\): no idea/],
    ['a hook that throws an odd error', { hook: 'oddly' }, /hook "oddly"\): \[object Object\]/],
    ['a hook that gives back something else', { hook: 'odd' }, /neither true nor false/],
    ['a hook that gives back problems', { hook: 'problems' }, /neither true nor false/],
    ['a hook whose reason is no text', { hook: 'numbered' }, /a reason that is no text; expected/],
  ])(
    'that cannot be told, as of %s, is neither yes nor no: a person is asked',
    async (_, when, said) => {
      const used = await rig();
      const hooks = {
        throws: () => Promise.reject(new Error('no idea')),
        oddly: () => Promise.reject(Object.assign(new Error(), { message: {} })),
        odd: () => ({ run: 'yes' }) as never,
        problems: () => [],
        numbered: () => ({ run: false, reason: 1 }) as never,
      };
      const result = await used.run(
        [{ script: work('a'), when, preflight: [{ command: ['false'] }] }],
        {
          hooks,
        },
      );
      expect(result).toMatchObject({
        state: 'waiting',
        waitingFor: 'preflight',
        attempts: [],
        skipped: [],
        problems: [{ code: 'CONDITION_FAILED', message: expect.stringMatching(said) }],
      });
      // Looked at again, it is still not known; approved, the phase is done, and its own preflight looked at.
      expect((await used.resume('test', { hooks })).problems[0]?.code).toBe('CONDITION_FAILED');
      await answerGate('test', { decision: 'approve' }, where(used));
      const approved = await used.resume('test', { hooks });
      expect(approved.problems.map(({ code }) => code)).toEqual(['PREFLIGHT_COMMAND_FAILED']);
      await answerGate('test', { decision: 'approve' }, where(used));
      expect(outcomes(await used.resume('test', { hooks }))).toEqual(['1 completed']);
    },
  );

  it('is no longer waited for once the run is to stop, and asked again when it goes on', async () => {
    const used = await rig();
    const stop = new AbortController();
    const hooks = {
      wanted() {
        stop.abort();
        return new Promise<boolean>(() => undefined);
      },
    };
    const phases = [{ script: work('a'), when: wanted }];
    const result = await used.run(phases, { hooks, signal: stop.signal });
    expect(result.state).toBe('stopped');
    expect(types(used)).not.toContain('gate-opened');
    const again = { hooks: { wanted: () => true }, acceptCode: true };
    expect((await used.resume('test', again as never)).state).toBe('completed');
  });

  it('that is none is refused before anything is there, all of them at once', async () => {
    const used = await rig();
    const phases = ['task ==', 'phases.plan.outcome == "completed"'].map((when) => ({
      script: 'exit 1',
      when,
    }));
    const error = await expectError(used.run(phases), 'CONFIG_INVALID', /Unexpected token/);
    expect(error.problems).toEqual([
      expect.stringMatching(/^phases\[0\]\.when: .*\(at character 8\); known: task, /),
      expect.stringMatching(/^phases\[1\]\.when: No such key: plan .*phases\["step-1"\]/),
    ]);
    await expectError(used.run([{ script: 'exit 1', when: wanted }]), 'HOOK_MISSING', /"wanted"/);
    await expectUntouched(used);
  });

  it('has no yes or no for a preflight', async () => {
    const used = await rig();
    const hooks = { wanted: () => true };
    const result = await used.run([{ script: work('a'), preflight: [wanted] }], { hooks });
    expect(result.problems).toMatchObject([
      { code: 'PREFLIGHT_HOOK_FAILED', message: expect.stringMatching(/for `when`/) },
    ]);
  });
});
