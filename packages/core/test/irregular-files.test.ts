import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { leaveAtWork } from './holder-process.js';
import { launches, letGo } from './patient-agent.js';
import { type Rig, outcomes, processesOf, rig, until } from './rig.js';

const notesOf = ({ events }: Rig) =>
  events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
const nobodyLeft = ({ repository }: Rig) =>
  until(() => processesOf(repository.directory).length === 0);

const places: [string, (file: string) => void][] = [
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
  ['a directory', (file) => mkdirSync(file)],
  ['a link to a file', (file) => symlinkSync('/etc/passwd', file)],
];

describe.each(places)('%s in the place of what is kept of an attempt', (_, make) => {
  it.each(['stdout.log', 'stderr.log', 'exit', 'claim', 'prompt.md', 'ended-by', 'unwatched'])(
    'is damage, and named, and nothing is launched again: %s',
    async (name) => {
      const used = await rig();
      await leaveAtWork(used);
      const file = path.join(used.attempt('test', '01-step-1', 1), name);
      rmSync(file, { force: true });
      make(file);
      expect(outcomes(await used.resume('test'))).toEqual(['1 crashed']);
      expect(notesOf(used)).toContainEqual(expect.stringContaining(`${file} is no regular file`));
      expect(launches(used)).toBe(1);
      await nobodyLeft(used);
    },
  );

  it('is moved away where devflow writes its events, and the attempt is judged', async () => {
    const used = await rig();
    await leaveAtWork(used);
    const directory = used.attempt('test', '01-step-1', 1);
    rmSync(path.join(directory, 'events.jsonl'));
    make(path.join(directory, 'events.jsonl'));
    letGo(used);
    expect(outcomes(await used.resume('test'))).toEqual(['1 completed']);
    expect(readFileSync(path.join(directory, 'events.jsonl'), 'utf8')).toMatch(/"kind":"text"/);
    expect(readdirSync(directory).filter((name) => name.startsWith('events.jsonl.'))).toHaveLength(
      1,
    );
  });
});

it.each(['stdout.log', 'stderr.log', 'exit'])(
  'an agent that puts a pipe in the place of its %s is ended, and has not completed',
  async (name) => {
    const used = await rig();
    const script = `cd "$DEVFLOW_RUN_DIRECTORY/01-step-1/1"; mkfifo pipe; mv -f pipe ${name}; cd "$OLDPWD"; ${commitFile('done.txt')}; ${giveAnswer()}`;
    expect(outcomes(await used.run([{ script }]))).toEqual(['1 crashed']);
    expect(notesOf(used)).toContainEqual(expect.stringMatching(`${name} is no regular file`));
    await nobodyLeft(used);
  },
);

it('a link in the place of the events of a run leads to no file of the user', async () => {
  const used = await rig();
  const own = path.join(used.repository.directory, 'own');
  writeFileSync(own, 'mine\n');
  const first = await used.run([{ script: 'exit 1' }]);
  const events = path.join(first.directory, 'events.jsonl');
  rmSync(events, { force: true });
  symlinkSync(own, events);
  await used.resume('test');
  expect(readFileSync(own, 'utf8')).toBe('mine\n');
  expect(existsSync(events)).toBe(true);
});
