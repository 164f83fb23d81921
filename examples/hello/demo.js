// `npm run demo`: makes a small repository and runs a workflow of five phases over it. No key, no agent,
// no network: the agent is a program of this example. Its second phase of code is asked for because the
// validation finds a gap. With --skip-fix the agent ignores that, and the run fails, as it must.
// With --keep the repository stays for a look.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const devflow = path.join(here, '../../packages/cli/bin/devflow.js');
const skipFix = process.argv.includes('--skip-fix');
const keep = process.argv.includes('--keep');

const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-hello-'));
const repository = path.join(directory, 'greetings');
const home = path.join(directory, 'home');
mkdirSync(home);
try {
  cpSync(path.join(here, 'project'), repository, { recursive: true });
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: path.join(home, 'state') };
  makeRepository(env);
  const end = keep ? 'it is kept' : 'it is removed at the end; --keep keeps it';
  console.log(`A repository was made in ${repository}: ${end}\n`);
  const flags = process.argv.slice(2).filter((word) => word !== '--skip-fix' && word !== '--keep');
  const run = spawnSync(
    process.execPath,
    [devflow, 'run', 'Add a greeting', '--name', 'hello', ...flags],
    {
      cwd: repository,
      env: { ...env, ...(skipFix && { HELLO_SKIP_FIX: '1' }) },
      stdio: 'inherit',
    },
  );
  process.exitCode = run.status ?? 1;
  console.log('\nThe branch, as git has it:');
  git(env, 'log', '--oneline', '--stat', '--no-decorate', 'main..devflow/hello/work');
} finally {
  if (keep) {
    console.log(`\nKept: cd ${repository}`);
  } else {
    rmSync(directory, { recursive: true, force: true });
    console.log('\nThe repository is removed again. To look at it: npm run demo -- --keep');
  }
}

function makeRepository(env) {
  git(env, 'init', '--quiet', '--initial-branch', 'main');
  git(env, 'config', 'user.name', 'devflow example');
  git(env, 'config', 'user.email', 'example@example.com');
  git(env, 'add', '--all');
  git(env, 'commit', '--quiet', '--message', 'Start');
}

function git(env, ...args) {
  const clean = Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('GIT_')),
  );
  execFileSync('git', args, {
    cwd: repository,
    env: { ...clean, GIT_PAGER: 'cat' },
    stdio: 'inherit',
  });
}
