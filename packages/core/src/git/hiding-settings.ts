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

/** Settings by which a checkout is not what is committed, or the other way round: all of filters, and these. */
const CONVERTING = new Set([
  'core.attributesfile',
  'core.autocrlf',
  'core.eol',
  'core.sparsecheckout',
  'core.sparsecheckoutcone',
  'extensions.partialclone', // what is missing is asked of a program
  'remote.promisor',
]);

interface Setting {
  /** In small letters, without a subsection. */
  readonly key: string;
  readonly subsection: string;
  readonly value: string;
}

/** A place that is compared, and what stands there. */
interface Found {
  readonly place: string;
  readonly content: string;
  /** Nothing is hidden by taking it away. */
  readonly mayGo?: true;
}

/**
 * What git's configuration says of what is not to be shown, and the content of the files of patterns that it
 * names: by the repository, the user and the system. By reading files, since git would have to be asked twice
 * an attempt. Only to be compared with what it was: a condition of an include is not looked at.
 * @param own the worktree's own settings
 */
export function hidingSettings(repository: Repository, directory: string, own: string): string[] {
  const { home, config } = repository.userSettings;
  const files = settingsFiles(repository, own).filter((file) => file !== undefined);
  const settings = files.flatMap((file) => settingsIn(file, isHiding, home, DEPTH));
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

/**
 * The same of what converts between what is committed and what is in a checkout, file by file. Always as many and
 * in the same order, so that hashes of them tell which has changed.
 */
export function convertingSettings(
  repository: Repository,
  directory: string,
  own: string,
): Found[] {
  const { commonDir, gitDir, userSettings } = repository;
  const { home, config } = userSettings;
  // A new worktree takes over what is git's for the one that it is made from.
  const files = [...settingsFiles(repository, own), path.join(gitDir, 'config.worktree')];
  const settings = files.map((file = '') => ({
    place: file,
    found: file === '' ? [] : settingsIn(file, isConverting, home, DEPTH),
  }));
  const shallow = path.join(commonDir, 'shallow');
  const named = settings
    .flatMap(({ found }) => found)
    .filter(({ key }) => key === 'core.attributesfile')
    .map(({ value }) => contentOf(resolved(value, directory, home)));
  const others = [
    '/etc/gitattributes',
    config === undefined ? '' : path.join(config, 'attributes'), // where git looks if none is named
    path.join(commonDir, 'info', 'attributes'),
    path.join(gitDir, 'info', 'sparse-checkout'),
    path.join(commonDir, 'objects', 'info', 'alternates'), // objects within the worktree would go with it
    path.join(commonDir, 'info', 'grafts'), // other parents, to the git of whoever reviews
  ];
  return [
    ...settings.map(({ place, found }) => ({ place, content: JSON.stringify(found) })),
    ...others.map((place) => ({ place, content: place === '' ? '' : contentOf(place) })),
    { place: 'the file that core.attributesFile names', content: JSON.stringify(named) },
    // Of what is cut off git believes that it is not there; that it was fetched takes nothing away.
    { place: shallow, content: contentOf(shallow), mayGo: true },
  ];
}

function isHiding({ key, value }: Setting): boolean {
  return HIDING.has(key) || (INCLUDES.includes(key) && isUnknownPlace(value));
}

function isConverting({ key, value }: Setting): boolean {
  if (INCLUDES.includes(key)) return isUnknownPlace(value);
  return CONVERTING.has(key) || key.startsWith('filter.') || key === UNREADABLE;
}

const INCLUDES: readonly string[] = ['include.path', 'includeif.path'];

/** A path that git knows and devflow does not: of another user, or where git is installed. What is there counts as a whole. */
function isUnknownPlace(value: string): boolean {
  return /^~[^/]|^%\(/.test(value);
}

function settingsFiles(
  { commonDir, userSettings: { home, config } }: Repository,
  own: string,
): (string | undefined)[] {
  return [
    '/etc/gitconfig',
    config === undefined ? undefined : path.join(config, 'config'),
    home === undefined ? undefined : path.join(home, '.gitconfig'),
    path.join(commonDir, 'config'),
    own,
  ];
}

function settingsIn(
  file: string,
  counts: (setting: Setting) => boolean,
  home: string | undefined,
  depth: number,
): Setting[] {
  return parseSettings(contentOf(file)).flatMap((setting) => {
    const { key, value } = setting;
    if (counts(setting)) return [setting];
    if (!INCLUDES.includes(key) || depth === 0) return [];
    return settingsIn(resolved(value, path.dirname(file), home), counts, home, depth - 1);
  });
}

/** The key of what is no setting: git refuses the file, and what it holds counts as a whole. */
const UNREADABLE = 'unreadable';
const HEADER = /\[([A-Za-z0-9.-]*)(?:\s+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const NAME = /([A-Za-z][A-Za-z0-9-]*)[ \t]*/y;
const VALUE = /=((?:[^\n"\\#;]|\\[^]|"(?:[^"\\\n]|\\[^])*")*)/y;
const NOTHING = /(?:\s|\uFEFF|[#;][^\n]*)+/y;

/** Git's format of settings, as git reads it: who could write a setting that only git sees could hide it. */
function parseSettings(text: string): Setting[] {
  const rest = text.replaceAll('\r\n', '\n');
  const settings: Setting[] = [];
  let at = 0;
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(rest);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  let section = '';
  let subsection = '';
  while (at < rest.length) {
    if (next(NOTHING) !== null) continue;
    const header = next(HEADER);
    if (header !== null) {
      const [, dotted = '', quoted] = header;
      const [name = '', ...old] = dotted.toLowerCase().split('.');
      section = name;
      subsection = [...old, ...(quoted === undefined ? [] : [unescaped(quoted)])].join('.');
      continue;
    }
    const name = next(NAME)?.[1];
    if (name === undefined)
      return [...settings, { key: UNREADABLE, subsection: '', value: rest.slice(at) }];
    const value = next(VALUE)?.[1] ?? 'true'; // as git takes one that has none
    settings.push({
      key: `${section}.${name.toLowerCase()}`,
      subsection,
      value: unquoted(value),
    });
  }
  return settings;
}

/** Of a value that stands in quotes in part, or goes on in the next line. */
function unquoted(value: string): string {
  const joined = value.replaceAll('\\\n', '').trim();
  return joined.replaceAll(/\\([^])|"/g, (_, escaped: string | undefined) =>
    escaped === undefined ? '' : (ESCAPED[escaped] ?? escaped),
  );
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

function unescaped(name: string): string {
  return name.replaceAll(/\\([^])/g, '$1');
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
