import path from 'node:path';
import { commitFile, giveAnswer } from '@devflow/core/testing';
import { launched } from './agents.js';
import type { Place } from './devflow.js';

/** Puts an adapter into the repository and confirms it. @param members of it, as source */
async function addAdapter(place: Place, script: string, members: string): Promise<void> {
  const adapter = `
    export const adapter = {
      name: 'own',
      capabilities: { modes: ['work', 'review'] },
      execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', ${JSON.stringify(script)}], stdin: prompt }),
      completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
      ${members}
    };`;
  await place.commit({ [path.join('.devflow', 'adapters', 'own.mjs')]: adapter });
  await place.devflow(['adapters', '--accept', 'own']);
}

/** Its agent is ended by a limit at its first launch; the reset is near. */
export async function addLimitedAgent(place: Place): Promise<void> {
  const work = `test $n = 1 && { echo LIMITED; exit 1; }; ${commitFile('made.txt')}; ${giveAnswer()}`;
  await addAdapter(
    place,
    `${launched(place.directory, 'limited')}; ${work}`,
    `preflight: async () => ({ problems: [], notes: [], account: 'subscription' }),
     createParser() {
       const lines = [];
       return {
         line: (text) => { lines.push(text); return []; },
         openCalls: () => 0,
         result() {
           if (!lines.includes('LIMITED')) return { turn: 'finished', finalText: lines.join('\\n') };
           const resetsAt = new Date(Date.now() + 300).toISOString();
           return { turn: 'failed', failure: { kind: 'rate-limited', message: 'too much', resetsAt } };
         },
       };
     },`,
  );
}

/** It asks its program for a version, hides a file from reviews; its agent changes the settings of its worktree once. */
export async function addCuriousAgent(place: Place): Promise<void> {
  const first = `${commitFile('made.txt')}; git rev-parse --git-dir | { read -r dir; echo >"$dir/config.worktree"; }`;
  await addAdapter(
    place,
    `${launched(place.directory, 'curious')}; test $n = 1 && { ${first}; }; ${giveAnswer()}`,
    `reviewHides: ['AGENTS.md'],
     async preflight(probe) {
       const { stdout } = await probe.ask('git', ['--version'], { cached: true });
       return { problems: [], notes: [], version: stdout.trim() };
     },`,
  );
}

/** Its agent ends its turn and does not exit. */
export async function addHangingAgent(place: Place): Promise<void> {
  await addAdapter(
    place,
    `${launched(place.directory, 'hanging')}; ${commitFile('made.txt')}; ${giveAnswer()}; exec sleep 600`,
    `createParser() {
       const lines = [];
       return {
         line: (text) => { lines.push(text); return []; },
         openCalls: () => 0,
         result: () => ({ turn: lines.length === 0 ? 'open' : 'finished', finalText: lines.join('\\n') }),
       };
     },`,
  );
}
