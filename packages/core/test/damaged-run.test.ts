import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../src/command/index.js';
import { doctor } from '../src/doctor/doctor.js';
import { stop } from '../src/index.js';
import { currentRuns, listRuns, status } from '../src/status.js';
import { leaveAtWork } from './holder-process.js';
import { type Rig, done, expectError, processesOf, rig, scriptedWorkflow, until } from './rig.js';

const fileOf = ({ repository }: Rig, name: string) =>
  path.join(repository.root, '.git', 'devflow', 'runs', 'test', name);

/** Keeps of the record of the attempt what makes it one of the journal's, and nothing that it says. */
function emptyTheRecord(used: Rig): void {
  const file = fileOf(used, 'journal.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  const emptied = lines.map((line) => {
    if (!line.includes('"attempt-intended"')) return line;
    const { v, seq, at, type } = JSON.parse(line) as Record<string, unknown>;
    return JSON.stringify({ v, seq, at, type });
  });
  writeFileSync(file, emptied.join('\n'));
}

const emptyTheDefinition = (used: Rig) => writeFileSync(fileOf(used, 'run.json'), '{"v":1}');

describe.each([
  ['a record without its fields', emptyTheRecord, 'JOURNAL_CORRUPT', /journal\.jsonl, line \d+, has no valid "phase"/], // prettier-ignore
  ['a definition without its fields', emptyTheDefinition, 'STATE_UNREADABLE', /run\.json has no valid "id"/], // prettier-ignore
])('a run with %s', (_, damage, code, words) => {
  it('is unreadable itself, hides no other run, and stop ends what lives of it', async () => {
    const used = await rig();
    await used.run([{ script: done }], { name: 'other' });
    await leaveAtWork(used);
    damage(used);
    const { root: cwd, env } = used.repository;
    const place = { cwd, env };
    await expectError(status('test', place), code, words);
    const runs = await listRuns(place);
    expect(runs.map(({ id, state }) => `${id} ${state}`).toSorted()).toEqual([
      'other completed',
      'test unreadable',
    ]);
    expect(runs.find(({ id }) => id === 'test')?.reason).toMatch(words);
    expect((await currentRuns(place)).map(({ state }) => state)).toEqual(['unreadable']);
    const findings = await doctor(scriptedWorkflow([{ script: done }]), {
      ...place,
      adapters: [command()],
    });
    const found = findings.find(({ what }) => what === 'run test');
    expect(found?.problems[0]?.message).toMatch(words);
    expect(processesOf(used.repository.directory)).not.toEqual([]);
    await expectError(stop('test', place), code, /what lived of it was ended: [1-9]/);
    await until(() => processesOf(used.repository.directory).length === 0);
    await expectError(stop('test', place), code, /nothing of it lives/);
  });
});
