import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { TemporaryRepository } from '../src/testing/index.js';

/** `100644 <content>` by path: names and contents as bytes, one character each. */
export type Listing = Readonly<Record<string, string>>;

/** All that is in a directory, but for `.git` at its top. */
export function listFiles(directory: string): Listing {
  const found: Record<string, string> = {};
  const visit = (below: Buffer) => {
    const full = Buffer.concat([Buffer.from(`${directory}/`), below]);
    for (const name of readdirSync(full, { encoding: 'buffer' })) {
      const file = below.length === 0 ? name : Buffer.concat([below, Buffer.from('/'), name]);
      if (file.toString('latin1') === '.git') continue;
      const place = Buffer.concat([Buffer.from(`${directory}/`), file]);
      const stats = lstatSync(place);
      if (stats.isDirectory()) visit(file);
      else if (stats.isSymbolicLink())
        found[file.toString('latin1')] = `120000 ${readlinkSync(place, 'latin1')}`;
      else
        found[file.toString('latin1')] =
          `${(stats.mode & 0o100) === 0 ? '100644' : '100755'} ${readFileSync(place, 'latin1')}`;
    }
  };
  visit(Buffer.alloc(0));
  return found;
}

/** The same of a commit, as the object store has it. */
export function listCommit({ root, env }: TemporaryRepository, commit: string): Listing {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, env, encoding: 'latin1' });
  const entries = git('ls-tree', '-r', '-z', commit)
    .split('\0')
    .filter((entry) => entry !== '');
  return Object.fromEntries(
    entries.map((entry) => {
      const [facts = '', file = ''] = entry.split(/\t(.*)/s);
      const [mode = '', , hash = ''] = facts.split(' ');
      return [file, `${mode} ${git('cat-file', 'blob', hash)}`];
    }),
  );
}

/** Everything below a directory with what tells a change: of a worktree that must not be touched. */
export function fingerprint(directory: string): Listing {
  return Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => {
      const { mtimeMs, size, mode, ino } = lstatSync(path.join(directory, name));
      return [name, `${mtimeMs} ${size} ${mode} ${ino}`];
    }),
  );
}
