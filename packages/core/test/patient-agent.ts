import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import type { Rig } from './rig.js';

/** An agent that counts its launches, says that it is there, and waits to be let go. */
export function patient(
  repository: Rig['repository'],
  after = `${commitFile('done.txt')}; ${giveAnswer()}`,
): string {
  const at = (name: string) => `'${path.join(repository.directory, name)}'`;
  return `echo launched >>${at('launches')}; touch ${at('there')}; until test -e ${at('go')}; do sleep 0.02; done; ${after}`;
}

export const launches = ({ repository }: Rig) =>
  readFileSync(path.join(repository.directory, 'launches'), 'utf8').trim().split('\n').length;
export const isThere =
  ({ repository }: Rig) =>
  () =>
    existsSync(path.join(repository.directory, 'there'));
export const letGo = ({ repository }: Rig) =>
  writeFileSync(path.join(repository.directory, 'go'), '');
