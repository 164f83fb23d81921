import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { status, stop } from '../src/index.js';
import { ownHolder } from '../src/state/lock.js';
import { leaveAtWork } from './holder-process.js';
import { letGo } from './patient-agent.js';
import { type Rig, expectError, rig } from './rig.js';

const runOf = ({ repository }: Rig, ...names: string[]) =>
  path.join(repository.root, '.git', 'devflow', 'runs', 'test', ...names);
const notes = ({ events }: Rig) =>
  events.flatMap((event) => (event.type === 'note' ? [event.text] : []));

describe('a run that another may hold', () => {
  it.each([
    ['empty', ''],
    ['no JSON', 'x'],
    ['no holder', '{"pid":1}'],
  ])('whose lock is %s is told, and not guessed', async (_, content) => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    writeFileSync(runOf(used, 'lock'), content);
    const { root: cwd, env } = used.repository;
    for (const ask of [used.resume('test'), stop('test', { cwd, env })]) {
      const { hint } = await expectError(ask, 'STATE_UNREADABLE', /lock .* names no holder/);
      expect(hint).toContain(`rm '${runOf(used, 'lock')}'`);
    }
    expect(readFileSync(runOf(used, 'lock'), 'utf8')).toBe(content);
  });

  it.each([
    ['another host', { host: 'elsewhere', bootId: 'other' }, /on elsewhere,/],
    ['another PID namespace', { pidNamespace: 'pid:[1]' }, /in another PID namespace/],
  ])('on %s is never taken over: host and what to do are named', async (_, where, named) => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    writeFileSync(runOf(used, 'lock'), JSON.stringify({ ...ownHolder(), pid: 7, ...where }));
    const { root: cwd, env } = used.repository;
    for (const ask of [used.resume('test'), stop('test', { cwd, env })]) {
      const { hint } = await expectError(ask, 'LOCK_FOREIGN', named);
      expect(hint).toContain(`rm '${runOf(used, 'lock')}'`);
    }
  });

  it('by a process that died is taken over with a line that says so', async () => {
    const used = await rig();
    const holder = await leaveAtWork(used);
    letGo(used);
    await used.resume('test');
    expect(notes(used)).toContain(`took the run over from process ${holder.pid}, which is dead`);
  });

  it('by a process that died is stopped with words that say so', async () => {
    const used = await rig();
    const holder = await leaveAtWork(used);
    const { root: cwd, env } = used.repository;
    const { reason } = await stop('test', { cwd, env });
    expect(reason).toBe(`stopped while no devflow held it: process ${holder.pid} is dead`);
  });
});

describe('a journal with a line that cannot be read', () => {
  it('is copied by resume and stop, once; status makes no copy', async () => {
    const used = await rig();
    await used.run([{ script: 'exit 1' }]);
    writeFileSync(runOf(used, 'journal.jsonl'), 'no JSON\n');
    const copies = () => readdirSync(runOf(used)).filter((name) => name.includes('corrupt'));
    const { root: cwd, env } = used.repository;
    await expectError(status('test', { cwd, env }), 'JOURNAL_CORRUPT', /line 1, is no JSON$/);
    expect(copies()).toEqual([]);
    await expectError(
      used.resume('test'),
      'JOURNAL_CORRUPT',
      /line 1, is no JSON; a copy is kept in .*corrupt-1/,
    );
    await expectError(used.resume('test'), 'JOURNAL_CORRUPT', /corrupt-1/);
    expect(copies()).toEqual(['journal.jsonl.corrupt-1']);
  });
});
