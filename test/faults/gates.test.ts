import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROGRAM, nobodyIsLeft } from '../../packages/cli/test/command-line.js';
import { quick } from './agents.js';
import type { Place } from './devflow.js';
import { walk } from './walk.js';

const run = ['run', 'Add a file', '--name', 'test'];
const resume = ['resume', 'test'];
const approve = ['approve', 'test', '--note', 'as it is'];
const phase = { id: 1, name: 'code', agent: 'quick', prompt: '{{task}}', retries: 0 };
const gated = (outside: string) => ({
  profiles: { quick: quick(outside) },
  phases: [{ ...phase, gate: 'before' as const }],
});

await walk({
  id: 'gated',
  name: 'a run that stays at a gate until its time limit',
  workflow: (outside) => ({
    profiles: { quick: quick(outside) },
    phases: [{ ...phase, gate: { when: 'before', timeout: '1s', onTimeout: 'approve' } }],
  }),
  command: [...run, '--wait'],
  recoveries: [
    [...resume, '--wait'],
    [...run, '--wait'],
  ],
  only: /gate|run\.(?:lock|unlock)|run-ended/,
});

await walk({
  id: 'answered',
  name: 'an answer at a gate that nobody stays at',
  workflow: gated,
  async prepare({ devflow }) {
    await devflow(run);
  },
  command: approve,
  recoveries: [approve, resume],
  only: /run\.(?:lock|unlock|mark-ended)|gate|inbox|run-resumed|run-ended/,
});

await walk({
  id: 'aborted',
  name: 'the word that ends a run at its gate',
  workflow: gated,
  async prepare({ devflow }) {
    await devflow(run);
  },
  command: ['abort', 'test'],
  recoveries: [['abort', 'test'], resume],
});

await walk({
  id: 'asking',
  name: 'an answer for the devflow that stays at a gate',
  only: /run\.lock #1$|inbox/, // it looks again and again, as often as that takes
  workflow: gated,
  async prepare(place) {
    void place.devflow([...run, '--wait']);
    await atGate(place);
  },
  command: ['approve', 'test', '--quiet'],
  recoveries: [['approve', 'test', '--quiet']],
  until: (place) => (isDecided(place) ? nobodyIsLeft(place.home) : Promise.resolve()),
});

await walk({
  id: 'heard',
  name: 'a devflow that stays at a gate, and somebody who answers until that is heard',
  workflow: gated,
  prepare({ root, env }) {
    const script = 'until "$0" "$1" approve test --quiet; do sleep 0.1; done';
    spawn('/bin/sh', ['-c', script, process.execPath, PROGRAM], { cwd: root, env });
    return Promise.resolve();
  },
  command: [...run, '--wait'],
  recoveries: [resume],
  until: ({ home }) => nobodyIsLeft(home),
  only: /after journal gate-opened|gate-decided|inbox/, // before, there is nothing to answer
});

function isDecided({ run: directory }: Place): boolean {
  return readFileSync(path.join(directory, 'journal.jsonl'), 'utf8').includes('gate-decided');
}

/** Waits until the run stays at its gate. */
async function atGate({ devflow }: Place): Promise<void> {
  for (;;) {
    const { output, code } = await devflow(['gates', 'test', '--json']);
    if (code === 0 && output !== '[]\n') return;
  }
}
