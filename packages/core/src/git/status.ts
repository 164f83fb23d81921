/** What is not committed, whatever the configuration says of what to show. */
export const STATUS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--untracked-files=normal',
  '--ignore-submodules=none',
];
/** A repository within has settings of its own, and git would run what they name. */
export const NOT_WITHIN = ['--ignore-submodules=dirty'];

/** `git status --porcelain=v2 --branch -z` */
export function parseStatus(output: string): {
  head?: string;
  branch?: string;
  uncommitted: string[];
  /** Of these those that git does not know. */
  untracked: string[];
  /** Of these committed files that are not there. */
  missing: string[];
} {
  const state: ReturnType<typeof parseStatus> = {
    uncommitted: [],
    untracked: [],
    missing: [],
  };
  const entries = output.split('\0');
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index] ?? '';
    const [, key, value] = /^# branch\.(oid|head) (.*)$/s.exec(entry) ?? [];
    if (key === 'oid' && value !== undefined && value !== '(initial)') state.head = value;
    if (key === 'head' && value !== undefined && value !== '(detached)') state.branch = value;
    const words = { '1': 8, '2': 9, u: 10, '?': 1 }[entry[0] ?? ''];
    if (words === undefined) continue;
    const name = entry.split(' ').slice(words).join(' ');
    state.uncommitted.push(name);
    if (entry.startsWith('?')) state.untracked.push(name);
    if (entry.startsWith('1 .D ')) state.missing.push(name);
    if (entry.startsWith('2')) index += 1; // the name before the renaming follows
  }
  return state;
}
