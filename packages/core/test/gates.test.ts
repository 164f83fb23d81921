import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerGate } from '../src/index.js';
import { done, expectError, outcomes, rig, until } from './rig.js';

const more =
  'cat >/dev/null; git commit -q --allow-empty -m x; echo x >>more.txt; git add more.txt; git commit -qm More; ';
const again = `${more} echo 'DEVFLOW_RESULT: {"status":"success","summary":"more"}'`;

type Rig = Awaited<ReturnType<typeof rig>>;
const where = ({ repository }: Rig) => ({ cwd: repository.root, env: repository.env });
const promptOf = (used: Rig, phase: string, attempt: number) =>
  readFileSync(path.join(used.attempt('test', phase, attempt), 'prompt.md'), 'utf8');
const goOn = (used: Rig) => used.resume('test', { due: true } as never);

describe('a gate', () => {
  it('before a phase lets it begin once a person has approved, and its note reaches the prompt', async () => {
    const used = await rig();
    const result = await used.run([{ script: done }, { script: again, gate: 'before' }]);
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'gate',
      gate: { kind: 'before', phase: 2 },
    });
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(await used.resume('test')).toMatchObject({
      state: 'waiting',
      gate: { gate: result.gate?.gate },
    });
    await answerGate('test', { decision: 'approve', note: 'use blue' }, where(used));
    expect(await goOn(used)).toMatchObject({ state: 'completed' });
    expect(promptOf(used, '02-step-2', 1)).toContain('use blue');
    await expectError(
      answerGate('test', { decision: 'approve' }, where(used)),
      'GATE_NOT_OPEN',
      /no open gate/,
    );
  });

  it('after a phase sends the run back to it where a person rejects, with the note', async () => {
    const used = await rig();
    const result = await used.run([{ script: again, gate: 'after' }]);
    expect(result.gate).toMatchObject({ kind: 'after', phase: 1 });
    await answerGate('test', { decision: 'reject', note: 'not good' }, where(used));
    const second = await goOn(used);
    expect(second).toMatchObject({ state: 'waiting' });
    expect(promptOf(used, '01-step-1', 2)).toContain(
      'rejected it. Mend what they name:\n\n```\nnot good\n```',
    );
    expect(second.gate?.gate).not.toBe(result.gate?.gate);
    await answerGate('test', { decision: 'approve' }, where(used));
    const third = await goOn(used);
    expect(third.state).toBe('completed');
    expect(outcomes(third)).toEqual(['1 completed', '1 completed']);
  });

  it('ends the run where a person aborts', async () => {
    const used = await rig();
    await used.run([{ script: done, gate: 'before' }]);
    await answerGate('test', { decision: 'abort', note: 'no' }, where(used));
    expect(used.journal('test').at(-1)).toMatchObject({ type: 'run-ended', state: 'stopped' });
    expect(await used.resume('test')).toMatchObject({ state: 'waiting' });
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await goOn(used)).state).toBe('completed');
  });

  it('is a failed preflight: approve goes on once without it', async () => {
    const used = await rig();
    const result = await used.run([{ script: done, preflight: [{ command: ['false'] }] }]);
    expect(result).toMatchObject({
      state: 'waiting',
      waitingFor: 'preflight',
      gate: { kind: 'preflight' },
    });
    expect((await used.resume('test')).gate?.gate).not.toBe(result.gate?.gate);
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await goOn(used)).state).toBe('completed');
  });

  it('is answered while a holder stays', async () => {
    const used = await rig();
    const running = used.run([{ script: done, gate: 'before' }], { wait: true });
    await until(() => used.events.some(({ type }) => type === 'run-waiting'));
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await running).state).toBe('completed');
  });

  it('decides itself at its time limit', async () => {
    const used = await rig();
    const gate = { when: 'before', timeout: '1s', onTimeout: 'approve' } as const;
    expect((await used.run([{ script: done, gate }], { wait: true })).state).toBe('completed');
    expect(used.journal('test')).toContainEqual(
      expect.objectContaining({ type: 'gate-decided', by: 'timeout' }),
    );
  });
});
