import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { command } from '../src/command/index.js';
import { clean } from '../src/clean/clean.js';
import { doctor } from '../src/doctor/doctor.js';
import { giveAnswer } from '../src/testing/index.js';
import { rig, scriptedWorkflow } from './rig.js';

const done = `echo x >done.txt; git add .; git commit --quiet --message Done; ${giveAnswer({ status: 'success' })}`;

async function completed() {
  const used = await rig();
  await used.run([{ script: done }], { workflow: { worktree: { keep: 'always' } } });
  const { root: cwd, env, git } = used.repository;
  const directory = path.join(cwd, '.git/devflow/runs/test');
  const examine = () =>
    doctor(scriptedWorkflow([{ script: done }]), { cwd, env, adapters: [command()] });
  return { used, cwd, env, git, directory, examine };
}

it('a journal whose definition somebody removed goes, once nothing else is left of the run', async () => {
  const { used, cwd, env, git, directory, examine } = await completed();
  rmSync(path.join(directory, 'run.json'));
  const orphans = (await examine()).find(({ what }) => what === 'orphans');
  expect(orphans?.notes.join('\n')).toContain(directory);
  const [first] = await clean({ cwd, env });
  expect(first?.kept.map(({ what }) => what)).toEqual([
    'branch devflow/test/work',
    `record ${directory}`,
  ]);
  expect(existsSync(path.join(directory, 'journal.jsonl'))).toBe(true);
  expect(existsSync(path.join(directory, 'lock'))).toBe(false);
  await git('merge', '--quiet', 'devflow/test/work');
  const planned = await clean({ cwd, env, runs: ['test'], dryRun: true });
  const cleaned = await clean({ cwd, env, runs: ['test'] });
  expect(cleaned).toEqual(planned);
  expect(cleaned[0]?.removed).toEqual(['branch devflow/test/work', 'record of the run test']);
  expect(existsSync(directory)).toBe(false);
  await used.run([{ script: giveAnswer({ status: 'failed' }) }]); // its name is free
});

it.each([
  ['run.json', /^(RUN|STATE|DEFINITION)_/],
  ['journal.jsonl', /^JOURNAL_CORRUPT$/],
  ['lock', /^STATE_UNREADABLE$/],
])('%s that nobody can read is a problem that doctor tells, with its hint', async (file, code) => {
  const { directory, examine } = await completed();
  writeFileSync(path.join(directory, file), 'no JSON\n');
  const found = (await examine()).find(({ what }) => what === 'run test');
  expect(found?.problems).toMatchObject([
    { code: expect.stringMatching(code), hint: expect.stringMatching(/\w/) },
  ]);
});
