import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GateWord, answerGate, gateFacts, status, stop } from '../src/index.js';
import { HELPER_VARIABLE } from '../src/process/helpers.js';
import { MARKER_VARIABLE } from '../src/process/tree.js';
import { requestDecision } from '../src/state/answers.js';
import { again, decisions, goOn, inboxOf, promptOf, stateOf, where } from './gate-rig.js';
import { receiver } from './receiver.js';
import { done, expectError, outcomes, rig, until } from './rig.js';

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
    for (const decision of ['approve', 'abort'] as const)
      await expectError(
        answerGate('test', { decision }, where(used)),
        'GATE_NOT_OPEN',
        /^the gate \w+ of the run "test" was decided: approve, at \d{4}-/,
      );
    expect(await goOn(used)).toMatchObject({ state: 'completed' });
    expect(promptOf(used, '02-step-2', 1)).toContain('use blue');
    await expectError(
      answerGate('test', { decision: 'approve' }, where(used)),
      'GATE_NOT_OPEN',
      /no open gate/,
    );
  });

  it('before a phase is opened once nothing stands in the way of it, and that is looked at again after the answer', async () => {
    const used = await rig();
    const open = path.join(used.repository.directory, 'open');
    const notifier = path.join(used.repository.directory, 'notify');
    const preflight = [{ command: ['test', '-e', open] }];
    const workflow = { notify: [{ command: [notifier] }] };
    const blocked = await used.run([{ script: done, gate: 'before', preflight }], { workflow });
    expect(blocked).toMatchObject({ state: 'waiting', gate: { kind: 'preflight', phase: 1 } });
    expect(blocked.problems.map(({ code }) => code)).toEqual([
      'PREFLIGHT_COMMAND_FAILED',
      'NOTIFY_UNREACHABLE',
    ]);
    writeFileSync(open, '');
    writeFileSync(notifier, '#!/bin/sh\n', { mode: 0o755 });
    expect((await used.resume('test')).gate?.kind).toBe('before');
    rmSync(open);
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await goOn(used)).gate?.kind).toBe('preflight');
    writeFileSync(open, '');
    expect((await used.resume('test')).state).toBe('completed');
  });

  it('before a phase asks nothing about its preflight that a person has answered already', async () => {
    const used = await rig();
    const phases = [{ script: done, gate: 'before' as const, preflight: [{ command: ['false'] }] }];
    await used.run(phases);
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await goOn(used)).gate?.kind).toBe('before');
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await goOn(used)).state).toBe('completed');
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

describe('a rejection', () => {
  const two = [{ script: again }, { script: again, gate: 'before' as const }];

  it('goes back to the phase before, or to the one that is named, with the note', async () => {
    const used = await rig();
    const result = await used.run([...two, { script: again, gate: 'after' }]);
    expect((await gateFacts('test', where(used)))?.waysBack).toEqual(['step-1']);
    await answerGate('test', { decision: 'reject', note: 'once more' }, where(used));
    const second = await goOn(used);
    expect(outcomes(second)).toEqual(['1 completed', '1 completed']);
    expect(promptOf(used, '01-step-1', 2)).toContain('once more');
    expect(second.gate?.gate).not.toBe(result.gate?.gate);
    await answerGate('test', { decision: 'approve' }, where(used));
    expect((await goOn(used)).gate).toMatchObject({ kind: 'after', phase: 3 });
    const word = { decision: 'reject', note: 'from the start', goto: 'step-1' } as const;
    await answerGate('test', word, where(used));
    const third = await goOn(used);
    expect(outcomes(third).slice(4)).toEqual(['1 completed']);
    expect(third.gate).toMatchObject({ kind: 'before', phase: 2 });
    expect(promptOf(used, '01-step-1', 3)).toContain('from the start');
  });

  it('needs a note, and a phase that comes before', async () => {
    const used = await rig();
    await used.run(two);
    const refused: [Partial<GateWord>, RegExp][] = [
      [{}, /needs a note/],
      [{ note: ' ' }, /note is empty/],
      [{ note: 'x', goto: 'step-2' }, /no way back to phase 2 step-2/],
      [{ note: 'x', goto: 'none' }, /no phase "none"/],
    ];
    for (const [word, sentence] of refused)
      await expectError(
        answerGate('test', { decision: 'reject', ...word }, where(used)),
        'GATE_ANSWER_INVALID',
        sentence,
      );
    expect(decisions(used)).toEqual([]);
  });

  it('leads to no phase before the first that was asked for', async () => {
    const used = await rig();
    await used.run(two, { from: 'step-2' });
    expect((await gateFacts('test', where(used)))?.waysBack).toEqual([]);
    for (const goto of [{}, { goto: 'step-1' }])
      await expectError(
        answerGate('test', { decision: 'reject', note: 'x', ...goto }, where(used)),
        'GATE_ANSWER_INVALID',
        /no phase to go back to/,
      );
    await answerGate('test', { decision: 'approve' }, where(used));
    expect(outcomes(await goOn(used))).toEqual(['2 completed']);
  });

  it('leads to no phase that was skipped', async () => {
    const used = await rig();
    await used.run([
      { script: again },
      { script: again, when: 'false' },
      { script: again, gate: 'before' },
    ]);
    expect((await gateFacts('test', where(used)))?.waysBack).toEqual(['step-1']);
    await answerGate('test', { decision: 'reject', note: 'anew' }, where(used));
    expect(outcomes(await goOn(used))).toEqual(['1 completed', '1 completed']);
  });

  it('by a time limit where there is no way back ends the run, and `resume` asks again', async () => {
    const used = await rig();
    const gate = { when: 'before', timeout: '1s', onTimeout: 'reject' } as const;
    const result = await used.run([{ script: done, gate }], { wait: true });
    expect(result).toMatchObject({ state: 'stopped', attempts: [] });
    expect(result.reason).toMatch(/^aborted at the gate \w+: nobody answered in time$/);
    expect(await used.resume('test')).toMatchObject({ state: 'waiting', waitingFor: 'gate' });
  });
});

describe('silence at a gate after a phase', () => {
  it('sends it back once, then ends the run; nothing is said to be wrong, and it is told', async () => {
    const used = await rig();
    const hook = await receiver();
    const gate = { when: 'after', timeout: '1s', onTimeout: 'reject' } as const;
    const notify = [{ webhook: hook.url, on: ['failed' as const] }];
    const result = await used.run([{ script: again, gate }], { wait: true, workflow: { notify } });
    expect(result.state).toBe('stopped');
    expect(outcomes(result)).toEqual(['1 completed', '1 completed']);
    expect(decisions(used)).toEqual(['reject by timeout', 'abort by timeout']);
    const prompt = promptOf(used, '01-step-1', 2);
    expect(prompt).toContain('that does not say that anything is wrong');
    expect(prompt).not.toMatch(/Do not repeat|rejected/);
    expect(hook.received.map(({ message }) => [message.event, message.title])).toEqual([
      ['probe', 'devflow: test can tell you here'],
      ['failed', 'devflow: test has ended'],
    ]);
  });
});

describe('an open gate', () => {
  const gated = [{ script: done, gate: 'before' as const }];
  const approve = { decision: 'approve' } as const;

  it('is the same one after a stop, and is answered only once the run is resumed', async () => {
    const used = await rig();
    const first = await used.run(gated);
    await stop('test', where(used));
    const late = answerGate('test', approve, where(used));
    const { hint } = await expectError(late, 'GATE_NOT_OPEN', /it is stopped/);
    expect(hint).toBe('`devflow resume test` asks again.');
    expect(await gateFacts('test', where(used))).toBeUndefined();
    expect((await used.resume('test')).gate?.gate).toBe(first.gate?.gate);
    await answerGate('test', approve, where(used));
    expect((await goOn(used)).state).toBe('completed');
  });

  it('waits on without a holder where that one goes, and is answered then', async () => {
    const used = await rig();
    const going = new AbortController();
    const running = used.run(gated, { wait: true, signal: going.signal });
    await until(() => used.events.some(({ type }) => type === 'run-waiting'));
    going.abort();
    const { state, gate } = await running;
    expect([state, gate?.kind]).toEqual(['waiting', 'before']);
    expect(used.journal('test').some(({ type }) => type === 'run-ended')).toBe(false);
    await answerGate('test', approve, where(used));
    expect((await goOn(used)).state).toBe('completed');
  });

  it('is closed where the run is asked to stop while a holder stays', async () => {
    const used = await rig();
    const running = used.run(gated, { wait: true });
    await until(() => used.events.some(({ type }) => type === 'run-waiting'));
    await stop('test', where(used));
    expect((await running).state).toBe('stopped');
  });

  it('is answered once, whoever answers at the same time', async () => {
    const used = await rig();
    const running = used.run(gated, { wait: true });
    await until(() => used.events.some(({ type }) => type === 'run-waiting'));
    const words: GateWord[] = [approve, { ...approve, note: 'but faster' }];
    const both = await Promise.allSettled(
      words.map((word) => answerGate('test', word, where(used))),
    );
    expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await running).state).toBe('completed');
    expect(decisions(used)).toHaveLength(1);
    expect(readdirSync(inboxOf(used))).toEqual([]);
  });

  it('is named by its id: an answer to another one counts for nothing', async () => {
    const used = await rig();
    const { gate } = await used.run(gated);
    const other = answerGate('test', approve, { ...where(used), gate: '0123456789' });
    await expectError(other, 'GATE_NOT_OPEN', /no open gate "0123456789"/);
    await answerGate('test', approve, { ...where(used), gate: gate?.gate ?? '' });
    expect(decisions(used)).toEqual(['approve by person']);
  });

  it('takes an answer whose writer died with the holder it was for', async () => {
    const used = await rig();
    const { gate } = await used.run(gated);
    requestDecision(inboxOf(used), { gate: gate?.gate ?? '', decision: 'approve', note: 'mine' });
    expect((await used.resume('test')).state).toBe('completed');
    expect(promptOf(used, '01-step-1', 1)).toContain('mine');
    expect(readdirSync(inboxOf(used))).toEqual([]);
  });

  it('is not answered by what was there before it, or is no answer', async () => {
    const used = await rig();
    // As an agent could plant it, which knows its run and not the gates to come.
    const planted = [
      { v: 1, type: 'decide', decision: 'approve' },
      { v: 1, type: 'decide', gate: '', decision: 'approve' },
      { v: 1, type: 'decide', gate: '1', decision: 'approve' },
      { v: 1, type: 'gate-decided', gate: '*', decision: 'approve', by: 'person' },
    ];
    const lines = planted.map(
      (answer, index) =>
        `echo '${JSON.stringify(answer)}' >"$DEVFLOW_RUN_DIRECTORY/inbox/decide-${index}.json"; echo '${JSON.stringify(answer)}' >.devflow/decide-${index}.json`,
    );
    const script = `mkdir -p .devflow; echo '*' >.devflow/.gitignore; ${lines.join('; ')}; echo '{' >"$DEVFLOW_RUN_DIRECTORY/inbox/decide-9.json"; ${done}`;
    const result = await used.run([{ script }, { script: again, gate: 'before' }]);
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(await used.resume('test')).toMatchObject({ gate: { gate: result.gate?.gate } });
    expect(decisions(used)).toEqual([]);
    expect(readdirSync(inboxOf(used))).toHaveLength(5);
    await answerGate('test', approve, where(used));
    expect(readdirSync(inboxOf(used))).toEqual([]);
  });

  it('is not answered by what an attempt or a check of the run has started', async () => {
    const used = await rig();
    await used.run([{ script: done }, { script: again, gate: 'before' }]);
    const { token } = used.journal('test').find(({ type }) => type === 'attempt-intended') ?? {};
    for (const own of [
      { [MARKER_VARIABLE]: String(token) },
      { [HELPER_VARIABLE]: stateOf(used) },
    ]) {
      const { cwd, env } = where(used);
      await expectError(
        answerGate('test', approve, { cwd, env: { ...env, ...own } }),
        'OWN_RUN',
        /part of the run/,
      );
    }
    expect(decisions(used)).toEqual([]);
  });

  it('that was aborted ends the run also where devflow died before it had', async () => {
    const used = await rig();
    await used.run(gated);
    await answerGate('test', { decision: 'abort' }, where(used));
    const journal = path.join(stateOf(used), 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
    writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`);
    rmSync(path.join(stateOf(used), 'ended'));
    expect((await status('test', where(used))).state).toBe('due');
    expect((await used.resume('test')).state).toBe('stopped');
    expect((await used.resume('test')).state).toBe('waiting');
  });

  it('with a time limit is decided by whoever comes once that has passed', async () => {
    const used = await rig();
    const gate = { when: 'before', timeout: '1s', onTimeout: 'approve' } as const;
    const { until: at = '' } = await used.run([{ script: done, gate }]);
    await expectError(goOn(used), 'RUN_NOT_DUE', /not due/);
    await until(() => Date.parse(at) <= Date.now());
    expect((await status('test', where(used))).state).toBe('due');
    expect((await goOn(used)).state).toBe('completed');
    expect(decisions(used)).toEqual(['approve by timeout']);
  });

  it('with a time limit that waits for ever stays open', async () => {
    const used = await rig();
    const gate = { when: 'before', timeout: '1s', onTimeout: 'wait' } as const;
    const result = await used.run([{ script: done, gate }]);
    expect(result.until).toBeUndefined();
    expect(result.gate).toMatchObject({ kind: 'before' });
  });
});
