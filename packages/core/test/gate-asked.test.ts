import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ask, type GateWord, answerGate } from '../src/index.js';
import { decisions, goOn, gone, promptOf, where } from './gate-rig.js';
import { done, expectError, outcomes, rig, until } from './rig.js';

describe('a person who is asked where the run was started', () => {
  const gated = [{ script: done, gate: 'before' as const }];
  const notes = { decision: 'approve', note: 'here' } as const;

  it('answers there, and the note reaches the prompt', async () => {
    const used = await rig();
    const ask: Ask = (run, { kind }) => Promise.resolve({ ...notes, note: `${run} ${kind}` });
    expect((await used.run(gated, { ask })).state).toBe('completed');
    expect(promptOf(used, '01-step-1', 1)).toContain('test before');
  });

  it('leaves it for later, and the run waits', async () => {
    const used = await rig();
    const ask: Ask = () => Promise.resolve(undefined);
    expect(await used.run(gated, { ask })).toMatchObject({ state: 'waiting', gate: {} });
    expect(decisions(used)).toEqual([]);
  });

  it('is asked no more once it is answered elsewhere, or its time has come', async () => {
    const used = await rig();
    let asked = 0;
    const ask: Ask = (_, __, signal) => {
      asked += 1;
      return gone(signal);
    };
    const running = used.run(gated, { ask });
    await until(() => asked === 1);
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await running).state).toBe('completed');
    const late = await rig();
    const gate = { when: 'before', timeout: '1s', onTimeout: 'approve' } as const;
    expect((await late.run([{ script: done, gate }], { ask })).state).toBe('completed');
    expect(decisions(late)).toEqual(['approve by timeout']);
  });

  it('is asked at a failed preflight: it is looked at again, or gone on with once', async () => {
    const used = await rig();
    const words: GateWord[] = [{ decision: 'recheck' }, { decision: 'approve' }];
    const ask: Ask = () => Promise.resolve(words.shift());
    const preflight = [{ command: ['false'] }];
    const result = await used.run([{ script: done, preflight, retries: 1 }], { ask });
    expect(result.state).toBe('completed');
    expect(decisions(used)).toEqual(['recheck by person', 'approve by person']);
  });

  it('who says what cannot be said ends nothing in silence', async () => {
    const used = await rig();
    const ask: Ask = () => Promise.resolve({ decision: 'recheck' });
    await expectError(used.run(gated, { ask }), 'GATE_ANSWER_INVALID', /only a failed preflight/);
    expect(decisions(used)).toEqual([]);
    expect(await used.resume('test')).toMatchObject({ state: 'waiting', gate: { kind: 'before' } });
  });
});

describe('a failed preflight', () => {
  const failing = (file: string) => [
    { script: done, preflight: [{ command: ['test', '-e', file] }] },
  ];

  it('is stayed at where that is asked, and looked at again by a word from elsewhere', async () => {
    const used = await rig();
    const file = path.join(used.repository.directory, 'there');
    const running = used.run(failing(file), { wait: true });
    const gates = () => used.events.filter(({ type }) => type === 'gate-opened').length;
    await until(() => gates() === 1);
    await answerGate('test', { decision: 'recheck' }, where(used));
    await until(() => gates() === 2);
    writeFileSync(file, '');
    await answerGate('test', { decision: 'recheck' }, where(used));
    expect((await running).state).toBe('completed');
  });

  it('is not stayed at by a holder that nobody sees', async () => {
    const used = await rig();
    const result = await used.run(failing('/nowhere'), { wait: 'unless-preflight' });
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
  });

  it('that is approved is looked at again before a further attempt', async () => {
    const used = await rig();
    const script = 'cat >/dev/null; exit 1';
    await used.run([{ ...failing('/nowhere')[0], script, retries: 1 }]);
    await answerGate('test', { decision: 'approve' }, where(used));
    const result = await goOn(used);
    expect(outcomes(result)).toEqual(['1 failed']);
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
  });

  it('cannot be rejected', async () => {
    const used = await rig();
    await used.run(failing('/nowhere'));
    await expectError(
      answerGate('test', { decision: 'reject', note: 'x' }, where(used)),
      'GATE_ANSWER_INVALID',
      /cannot be rejected/,
    );
  });
});
