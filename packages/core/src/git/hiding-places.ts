import { createHash } from 'node:crypto';
import path from 'node:path';
import { readIfThere } from '../state/files.js';
import { convertingSettings, hidingSettings } from './hiding-settings.js';
import type { Repository } from './repository.js';
import { settingsFile } from './worktree.js';

/**
 * What tells git what not to show, and how to convert what is committed into files, outside the checkout: to see
 * whether an attempt changed it. Of what hides one hash, then one of each place that converts.
 */
export function hidingPlaces(repository: Repository, directory: string): string {
  const contents = [
    readIfThere(path.join(repository.commonDir, 'info', 'exclude')) ?? '',
    readIfThere(settingsFile(directory)) ?? '',
    ...hidingSettings(repository, directory, settingsFile(directory)),
  ];
  const converting = convertingSettings(repository, directory, settingsFile(directory));
  const hashes = converting.map(({ content }) => shortHash(content).slice(0, 8));
  return [shortHash(contents.join('\0')), ...hashes].join(' ');
}

/** Places where it is said otherwise how git converts than it was. @param before by {@link hidingPlaces} */
export function convertingPlaces(
  repository: Repository,
  directory: string,
  before: string,
): string[] {
  const [, ...hashes] = before.split(' ');
  return convertingSettings(repository, directory, settingsFile(directory))
    .filter(({ content, mayGo }, at) => {
      const isGone = mayGo === true && content === '';
      return !isGone && shortHash(content).slice(0, 8) !== hashes[at];
    })
    .map(({ place }) => place);
}

/** Is what hides the same as it was? @param before by {@link hidingPlaces} */
export function hidesTheSame(repository: Repository, directory: string, before: string): boolean {
  const [now] = hidingPlaces(repository, directory).split(' ');
  return before.split(' ')[0] === now;
}

function shortHash(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
