// Runs of the built program with KILL at random moments, resumed until they end: none may be lost, none doubled,
// nothing left. `npm run soak -- --minutes 10` goes on for as long as told; 200 runs at least, `--runs` says another
// number; `--seed` repeats the moments (the machine does not repeat itself).
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { strayFiles } from './stray-files.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0' },
    runs: { type: 'string', default: '200' },
    jobs: { type: 'string', default: String(os.availableParallelism() * 2) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const PROGRAM = fileURLToPath(new URL('../packages/cli/bin/devflow.js', import.meta.url));
const PHASES = ['code', 'polish'];
/** A run is killed at most so often; then it is left to end. */
const KILLS = 4;
/** The longest a devflow lives before it is killed: most of what it does lies within. */
const LONGEST_MS = 2_500;

const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-soak-'));
const root = path.join(directory, 'repository');
const home = path.join(directory, 'home');
const launches = path.join(directory, 'launches');
const env = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' };
const random = randomNumbers(Number(values.seed));
const counts = { runs: 0, kills: 0, lost: 0, doubled: 0, leftovers: 0 };

console.log(`seed ${values.seed}, ${values.jobs} at once, in ${directory}`);
const end = performance.now() + Number(values.minutes) * 60_000;
try {
  prepare();
  do await Promise.all(Array.from({ length: Number(values.jobs) }, lane));
  while (performance.now() < end);
  countLeftovers();
  const { runs, kills, lost, doubled, leftovers } = counts;
  console.log(
    `${runs} runs, killed ${kills} times: ${lost} lost, ${doubled} doubled, ${leftovers} leftovers`,
  );
  process.exitCode = lost + doubled + leftovers === 0 ? 0 : 1;
} finally {
  for (const pid of processesHere()) process.kill(pid, 'SIGKILL');
  if (process.exitCode === 0) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** One run after another, until there are enough of this round. */
async function lane() {
  const round = Math.floor(counts.runs / Number(values.runs));
  while (Math.floor(counts.runs / Number(values.runs)) === round) {
    counts.runs += 1;
    if (counts.runs % 20 === 0) console.log(`${counts.runs} runs, ${counts.kills} kills`);
    await oneRun(`soak-${counts.runs}`);
  }
}

async function oneRun(id) {
  let command = ['run', 'Add files', '--name', id];
  for (let kills = Math.floor(random() * (KILLS + 1)); kills > 0; kills -= 1) {
    const { killed } = await devflow(command, random() * LONGEST_MS);
    if (!killed) break;
    counts.kills += 1;
    // Nothing was kept of it where it died at once: then it is still to begin.
    if (existsSync(path.join(stateOf(id), 'run.json')) && random() < 0.5) command = ['resume', id];
  }
  let said = '';
  for (const last of [command, ['resume', id]]) said += (await devflow(last)).output;
  check(id, said);
}

function check(id, said) {
  const { state } = JSON.parse(showRun(id));
  const made = git('log', '--format=%s', `main..devflow/${id}/work`).split('\n').toSorted();
  const launched = launchesOf(id);
  const isLost = state !== 'completed' || PHASES.some((phase) => !made.includes(`Add ${phase}`));
  const isDoubled = [made, launched].some((list) => list.length > PHASES.length);
  if (isLost) counts.lost += 1;
  if (isDoubled) counts.doubled += 1;
  if (isLost || isDoubled)
    console.log([id, state, ...made, ...launched, said].map((line) => `  ${line}`).join('\n'));
}

function launchesOf(id) {
  const lines = readFileSync(launches, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => line.split(' ')[0] === id);
}

function countLeftovers() {
  const worktrees = git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree ') && line !== `worktree ${root}`);
  const strays = strayFiles(path.join(root, '.git', 'devflow'));
  const changes = git('status', '--porcelain')
    .split('\n')
    .filter((line) => line !== '');
  const processes = processesHere().map((pid) => `process ${pid}`);
  const all = [...worktrees, ...strays, ...changes, ...processes];
  counts.leftovers = all.length;
  for (const line of all) console.log(`  left: ${line}`);
}

function prepare() {
  mkdirSync(root);
  mkdirSync(home);
  writeFileSync(launches, '');
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Test Person');
  git('config', 'user.email', 'person@example.com');
  const script = (phase) =>
    `cat >/dev/null; echo "$DEVFLOW_RUN_ID ${phase}" >>'${launches}'; sleep 0.$(( $$ % 10 )); echo done >${phase}; git add --all; git commit --quiet -m 'Add ${phase}'; echo 'DEVFLOW_RESULT: {"status":"success","summary":"done"}'`;
  const config = {
    profiles: Object.fromEntries(
      PHASES.map((phase) => [
        phase,
        { adapter: 'command', command: ['/bin/sh', '-c', script(phase)] },
      ]),
    ),
    phases: PHASES.map((phase, index) => ({
      id: index + 1,
      name: phase,
      agent: phase,
      prompt: '{{task}}',
      checks: [{ command: ['test', '-e', phase] }],
    })),
  };
  writeFileSync(path.join(root, 'devflow.config.json'), JSON.stringify(config, undefined, 2));
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Start');
}

/** @param {number} [killAfter] in milliseconds; it is left to end where that is left out */
function devflow(args, killAfter) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const timer =
    killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
  return new Promise((resolve) => {
    child.once('exit', (_, signal) => {
      clearTimeout(timer);
      resolve({ killed: signal === 'SIGKILL', output });
    });
  });
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, env, encoding: 'utf8' }).trimEnd();
}

function showRun(id) {
  const args = [PROGRAM, 'status', id, '--json'];
  return execFileSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
}

function stateOf(id) {
  return path.join(root, '.git', 'devflow', 'runs', id);
}

/** Living processes whose HOME is that of these runs. */
function processesHere() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        if (/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))) return false;
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`HOME=${home}`);
      } catch {
        return false; // gone, or another user's
      }
    })
    .map(Number);
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruence: nothing depends on its quality). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
