import path from 'node:path';
import { isShortage } from '../process/system-error.js';
import { readIfThere } from '../state/files.js';
import type { Repository } from './repository.js';

/** Settings by which git does not show a file or a change. Those that devflow's own git calls overrule are not among them. */
const HIDING = new Set([
  'core.excludesfile',
  'core.worktree',
  'core.filemode',
  'core.symlinks',
  'core.ignorecase',
  'core.ignorestat',
  'core.checkstat',
  'core.trustctime',
]);
/** How deep files of settings may name further ones: git's own limit. */
const DEPTH = 10;

interface Setting {
  /** In small letters, without a subsection. */
  readonly key: string;
  readonly value: string;
}

/**
 * What git's configuration says of what is not to be shown, and the content of the files of patterns that it
 * names: by the repository, the user and the system. By reading files, since git would have to be asked twice
 * an attempt. Only to be compared with what it was: a condition of an include is not looked at.
 * @param own the worktree's own settings
 */
export function hidingSettings(repository: Repository, directory: string, own: string): string[] {
  const { commonDir, userSettings } = repository;
  const { home, config } = userSettings;
  const files = [
    '/etc/gitconfig',
    ...(config === undefined ? [] : [path.join(config, 'config')]),
    ...(home === undefined ? [] : [path.join(home, '.gitconfig')]),
    path.join(commonDir, 'config'),
    own,
  ];
  const settings = files.flatMap((file) => settingsIn(file, home, DEPTH));
  const named = settings.filter(({ key }) => key === 'core.excludesfile');
  const patterns = [
    ...(config === undefined ? [] : [path.join(config, 'ignore')]), // where git looks if none is named
    ...named.map(({ value }) => resolved(value, directory, home)),
  ];
  return [
    ...settings.map(({ key, value }) => `${key}=${value}`),
    ...patterns.map(contentOf).filter((content) => content !== ''),
  ];
}

function settingsIn(file: string, home: string | undefined, depth: number): Setting[] {
  return parseSettings(contentOf(file)).flatMap((setting) => {
    const { key, value } = setting;
    if (HIDING.has(key)) return [setting];
    const isInclude = key === 'include.path' || key === 'includeif.path';
    if (!isInclude || depth === 0) return [];
    return settingsIn(resolved(value, path.dirname(file), home), home, depth - 1);
  });
}

/** Git's format of settings, as far as it is needed to see a change. */
function parseSettings(text: string): Setting[] {
  const settings: Setting[] = [];
  let section = '';
  for (const line of text.replaceAll(/\\\r?\n/g, '').split('\n')) {
    const header = /^\s*\[\s*([\w.-]+)[^\]]*\]/.exec(line);
    if (header !== null) section = (header[1] ?? '').toLowerCase();
    const rest = line.slice(header?.[0].length ?? 0);
    const [, name, value = ''] = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(rest) ?? [];
    if (name !== undefined)
      settings.push({ key: `${section}.${name.toLowerCase()}`, value: unquoted(value) });
  }
  return settings;
}

function unquoted(value: string): string {
  const [, quoted] = /^\s*"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
  return value.replace(/[#;].*$/, '').trim();
}

function resolved(file: string, from: string, home: string | undefined): string {
  return path.resolve(from, file.replace(/^~(?=\/)/, home ?? '~'));
}

/** What may not be read is nothing to git either. */
function contentOf(file: string): string {
  try {
    return readIfThere(file) ?? '';
  } catch (error) {
    if (isShortage(error)) throw error;
    return '';
  }
}
