import { mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listRuns, status } from '../src/index.js';
import { bootId } from '../src/process/identity.js';
import { ownHolder, tryLock } from '../src/state/lock.js';
import { resultOf } from '../src/status.js';
import { giveAnswer } from '../src/testing/index.js';
import { kill, leaveAtWork, runElsewhere } from './holder-process.js';
import { isThere, letGo, patient } from './patient-agent.js';
import { type Rig, done, processesOf, rig, until } from './rig.js';
import { known } from './temporary.js';

const inRun = ({ repository }: Rig, file: string) =>
  path.join(repository.root, '.git/devflow/runs/test', file);
const place = ({ repository: { root: cwd, env } }: Rig) => ({ cwd, env });
const keptEvents = (used: Rig) =>
  readFileSync(inRun(used, 'events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const toldEvents = ({ events }: Rig) =>
  events.filter(({ type }) => type !== 'agent').map((event) => ({ ...event }));

describe('for those who watch', () => {
  it('a run keeps the events that it tells, but for those of its agents; resumed, it goes on with them', async () => {
    const used = await rig();
    const failing = `cat >/dev/null; test -e ${used.repository.directory}/go && { ${done}; } || ${giveAnswer({ status: 'failed' })}`;
    await used.run([{ script: failing }]);
    expect(used.events.some(({ type }) => type === 'agent')).toBe(true);
    expect(keptEvents(used)).toEqual(toldEvents(used));
    writeFileSync(path.join(used.repository.directory, 'go'), '');
    expect((await used.resume('test')).state).toBe('completed');
    expect(keptEvents(used)).toEqual(toldEvents(used));
    expect(keptEvents(used).map(({ type }) => type)).toContain('run-resumed');
  });

  it('a run whose events cannot be kept goes on, and says so once', async () => {
    const used = await rig();
    await used.run([{ script: giveAnswer({ status: 'failed' }) }]);
    const events = inRun(used, 'events.jsonl');
    rmSync(events);
    mkdirSync(events);
    used.events.length = 0;
    expect((await used.resume('test')).state).toBe('failed');
    const notes = used.events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
    expect(notes).toEqual([expect.stringMatching(/^what happens is not kept .*no regular file/)]);
    expect(readdirSync(events)).toEqual([]);
  });

  it('the journal says what a run came to, as the run itself does', async () => {
    const used = await rig();
    expect(await resultOf('test', place(used)).catch(({ code }: { code: string }) => code)).toBe(
      'RUN_NOT_FOUND',
    );
    const result = await used.run([{ script: done }]);
    expect(await resultOf('test', place(used))).toEqual(result);
  });

  it('of a run that goes on, or was cut off, there is no such result', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository) }]);
    await until(isThere(used));
    expect(await resultOf('test', place(used))).toBeUndefined();
    await kill(holder);
    expect(await resultOf('test', place(used))).toBeUndefined();
    letGo(used);
    expect(await resultOf('test', place(used))).toBeUndefined();
    const result = await used.resume('test');
    expect(await resultOf('test', place(used))).toEqual(result);
  });
});

describe('status tells the truth', () => {
  it('after a reboot: neither a holder nor an agent of before lives, though their pids are those of others', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository) }]);
    await until(isThere(used));
    expect(await status('test', place(used))).toMatchObject({
      state: 'running',
      heldBy: holder.pid,
    });
    await kill(holder);
    expect(await status('test', place(used))).toMatchObject({ agentLives: true });

    // As it is after a reboot, where each pid belongs to a living process that began at just that tick.
    const before = 'before-the-reboot';
    writeFileSync(inRun(used, 'lock'), JSON.stringify({ ...ownHolder(), bootId: before }));
    const claim = path.join(used.attempt('test', '01-step-1', 1), 'claim');
    const text = readFileSync(claim, 'utf8');
    expect(text).toContain(bootId());
    writeFileSync(claim, text.replace(bootId(), before));
    const gone = { state: 'interrupted', agentLives: false };
    expect(await status('test', place(used))).toMatchObject(gone);
    expect(await listRuns(place(used))).toMatchObject([gone]);
    expect(await status('test', place(used))).not.toHaveProperty('heldBy');

    // The same boot again: it is the boot alone that told them apart.
    writeFileSync(claim, text);
    expect(await status('test', place(used))).toMatchObject({ agentLives: true });
    writeFileSync(claim, text.replace(bootId(), before));
    expect((await used.resume('test')).attempts).toMatchObject([{ outcome: 'crashed' }]);
    expect(processesOf(used.repository.directory)).toEqual([]);
  });

  it('of a holder whose pid another process has by now', async () => {
    const used = await rig();
    await leaveAtWork(used);
    writeFileSync(inRun(used, 'lock'), JSON.stringify({ ...ownHolder(), startTime: '1' }));
    expect(await status('test', place(used))).toMatchObject({ state: 'interrupted' });
    letGo(used);
    expect((await used.resume('test')).state).toBe('completed');
  });

  it('of a run that waits: who goes on with it, where anybody does', async () => {
    const used = await rig();
    await used.run([{ script: done }], { until: 'step-1' });
    const journal = inRun(used, 'journal.jsonl');
    const [first = ''] = readFileSync(journal, 'utf8').split('\n');
    const instant = { until: '2999-01-01T00:00:00.000Z' };
    const waits = { type: 'run-waiting', for: 'reset', reason: 'a limit', ...instant };
    const at = (JSON.parse(first) as { at: string }).at;
    writeFileSync(journal, `${first}\n${JSON.stringify({ v: 1, seq: 2, at, ...waits })}\n`);
    const lock = tryLock(inRun(used, 'lock'));
    onTestFinished(() => ('release' in lock ? lock.release() : undefined));
    expect(await status('test', place(used))).toMatchObject({
      state: 'waiting',
      heldBy: process.pid,
      reason: `a limit; process ${process.pid} goes on by itself then`,
      ...instant,
    });
    if ('release' in lock) lock.release();
    const alone = known((await listRuns(place(used)))[0]);
    const reason = expect.stringMatching(/^a limit; nobody waits for it/) as string;
    expect(alone).toMatchObject({ state: 'waiting', reason, ...instant });
    expect(alone).not.toHaveProperty('heldBy');
  });

  it('of what a devflow without a terminal said last, where it was that one which was cut off', async () => {
    const used = await rig();
    const holder = runElsewhere(used, [{ script: patient(used.repository) }]);
    await until(isThere(used));
    writeFileSync(inRun(used, 'devflow.log'), 'one\nthe last word\n\n');
    expect(await status('test', place(used))).not.toHaveProperty('lastWords');
    await kill(holder);
    expect(await status('test', place(used))).toMatchObject({ lastWords: 'the last word' });
    utimesSync(inRun(used, 'devflow.log'), 1, 1);
    expect(await status('test', place(used))).not.toHaveProperty('lastWords');
    letGo(used);
    await used.resume('test');
  });
});
