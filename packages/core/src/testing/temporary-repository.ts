import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { removeEmptyCgroup } from '../process/cgroup.js';

/** A real repository in a directory of its own, with a HOME of its own and a clean git environment. */
export interface TemporaryRepository {
  /** Everything lies below it. */
  readonly directory: string;
  readonly root: string;
  readonly home: string;
  /** An environment with nothing of the caller's but PATH. */
  readonly env: Record<string, string>;
  git(...args: string[]): Promise<string>;
  write(files: Readonly<Record<string, string>>): void;
  /** Writes files and commits them. @returns the commit */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>;
  remove(): void;
}

export interface TemporaryRepositoryOptions {
  /** Files of the first commit; undefined: a README. `{}`: no commit at all. */
  readonly files?: Readonly<Record<string, string>>;
  /** Name of the repository's directory. */
  readonly name?: string;
  /** The directory to make it in. */
  readonly parent?: string;
}

export async function temporaryRepository({
  files = { 'README.md': '# A repository\n' },
  name = 'repository',
  parent = os.tmpdir(),
}: TemporaryRepositoryOptions = {}): Promise<TemporaryRepository> {
  const directory = mkdtempSync(path.join(parent, 'devflow-test-'));
  const root = path.join(directory, name);
  const home = path.join(directory, 'home');
  mkdirSync(root);
  mkdirSync(home);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' };
  const git = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)('git', args, { cwd: root, env, maxBuffer: 1e8 });
    return stdout.trim();
  };
  const write = (contents: Readonly<Record<string, string>>) => {
    for (const [file, content] of Object.entries(contents)) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), content);
    }
  };
  const commit = async (contents: Readonly<Record<string, string>>, message = 'Add files') => {
    write(contents);
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('config', 'user.name', 'Test Person');
  await git('config', 'user.email', 'person@example.com');
  if (Object.keys(files).length > 0) await commit(files, 'Start');
  return {
    directory,
    root,
    home,
    env,
    git,
    write,
    commit,
    remove() {
      for (const cgroup of cgroupsOf(root)) removeEmptyCgroup(cgroup);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The control groups of attempts, by the journals: where devflow was killed they are still there. */
function cgroupsOf(root: string): string[] {
  const runs = path.join(root, '.git', 'devflow', 'runs');
  // Not by `throwIfNoEntry`: what is below a file is an error to it.
  const isThere = existsSync(runs) && statSync(runs).isDirectory();
  const journals = isThere
    ? readdirSync(runs).map((id) => path.join(runs, id, 'journal.jsonl'))
    : [];
  return journals
    .filter((file) => existsSync(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/"cgroup":"([^"]+)"/g)])
    .flatMap(([, cgroup]) => cgroup ?? []);
}
