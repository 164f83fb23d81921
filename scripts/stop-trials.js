// Stops runs whose agents have left all kinds of processes behind, in all ways, and counts what is left: none may be.
// `node scripts/stop-trials.js [--trials 100] [--lanes 6]`, with the built devflow. Where control groups can be made
// and root asks, a quarter as many more trials do without them: in a mount namespace that shows them read-only.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run } from '@devflow/core';
import { command } from '@devflow/core/command';
import { cgroupPlace } from '../packages/core/dist/process/cgroup.js';
import { scriptedAgent, temporaryRepository } from '@devflow/core/testing';
import { HIDING_KINDS, KINDS, agentScript, newMark, processesWith } from './hiding-processes.js';

const PROGRAM = fileURLToPath(new URL('../packages/cli/bin/devflow.js', import.meta.url));
const LIMIT_MS = 60_000;
const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '100' },
    lanes: { type: 'string', default: '6' },
    'in-json': { type: 'boolean', default: false },
  },
});

/** Each ends the run; what may be left must be gone when it has. */
const WAYS = {
  'devflow stop': async (trial) => {
    const holder = await begin(trial);
    await stop(trial);
    await holder.ended;
  },
  'holder killed, devflow stop': async (trial) => {
    const holder = await begin(trial);
    holder.kill('SIGKILL');
    await holder.ended;
    await stop(trial);
  },
  SIGTERM: async (trial) => {
    const holder = await begin(trial);
    holder.kill('SIGTERM');
    await holder.ended;
  },
  'Ctrl-C twice': async (trial) => {
    const holder = await begin(trial);
    holder.kill('SIGINT');
    await holder.says('Ctrl-C once more');
    holder.kill('SIGINT');
    await holder.ended;
  },
  'aborted signal': async (trial) => {
    const controller = new AbortController();
    const { root: cwd, env } = trial.repository;
    const options = { task: 'x', name: 'it', cwd, env, adapters: [command()] };
    const running = run(trial.workflow, { ...options, signal: controller.signal });
    await isAtWork(trial);
    controller.abort();
    await running;
  },
  'wrapper killed': async (trial) => {
    const holder = await begin(trial);
    process.kill(wrapperOf(trial), 'SIGKILL');
    await holder.ended; // it notices, and sweeps
  },
  'wrapper and holder killed, devflow stop': async (trial) => {
    const holder = await begin(trial);
    process.kill(wrapperOf(trial), 'SIGKILL');
    holder.kill('SIGKILL');
    await holder.ended;
    await stop(trial);
  },
};

const start = performance.now();
const cgroups = cgroupPlace() !== undefined;
const results = await runTrials(Number(values.trials));
if (values['in-json']) {
  process.stdout.write(JSON.stringify(results));
} else {
  if (cgroups && process.getuid?.() === 0) results.push(...trialsWithoutCgroups());
  process.exitCode = report(results) ? 0 : 1;
}

/** The trials of one part, several at once: they mostly wait. */
async function runTrials(count) {
  const ways = Object.keys(WAYS);
  const queue = Array.from({ length: count }, (_, index) => ways[index % ways.length]);
  const done = [];
  const lane = async () => {
    for (let way = queue.pop(); way !== undefined; way = queue.pop())
      done.push(await oneTrial(way));
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  return done;
}

async function oneTrial(way) {
  const repository = await temporaryRepository();
  const mark = newMark();
  const kinds = someOf({ ...KINDS, ...(cgroups && HIDING_KINDS) });
  const script = agentScript(Object.values(kinds), mark, repository.directory);
  const workflow = {
    profiles: { scripted: scriptedAgent(script) },
    phases: [{ id: 1, name: 'code', agent: 'scripted', prompt: '{{task}}', retries: 0 }],
  };
  await repository.commit({ 'devflow.config.json': JSON.stringify(workflow) });
  const trial = { repository, workflow, mark };
  const result = { way, cgroups, kinds: Object.keys(kinds), made: 0, left: 0, wrong: [] };
  try {
    await WAYS[way](trial);
    result.left = processesWith(mark).length;
    result.made = trial.made;
    result.wrong = whatIsWrong(trial, way);
  } catch (error) {
    result.wrong = [error instanceof Error ? error.message : String(error)];
  }
  for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL');
  repository.remove();
  return result;
}

/** A run that was stopped says so, keeps what was half done, and leaves no control group. */
function whatIsWrong({ repository, cgroup }, way) {
  const records = journalOf(repository);
  const { state } = records.findLast(({ type }) => type === 'run-ended') ?? {};
  const { directory } = records.find(({ type }) => type === 'worktree-ready') ?? {};
  const half = path.join(directory ?? '', 'half.txt');
  const wanted = way === 'wrapper killed' ? 'failed' : 'stopped';
  return [
    ...(state === wanted ? [] : [`the run is ${state}, not ${wanted}`]),
    ...(existsSync(half) && readFileSync(half, 'utf8') === 'half\n' ? [] : ['half.txt is changed']),
    ...(cgroup !== undefined && existsSync(cgroup) ? [`${cgroup} is left`] : []),
  ];
}

/** The built devflow, once its agent has started all that it starts. */
async function begin(trial) {
  const holder = devflow(trial, ['run', 'x', '--name', 'it']);
  await isAtWork(trial, holder);
  return holder;
}

async function isAtWork(trial, holder) {
  const { repository, mark } = trial;
  await until(
    () => existsSync(path.join(repository.directory, 'there')),
    () => holder?.output(),
  );
  trial.made = processesWith(mark).length;
  trial.cgroup = journalOf(repository).find(({ type }) => type === 'attempt-intended').cgroup;
  await delay(Math.random() * 150); // so that a chain is met at any link, and a hider seen or not
}

async function stop(trial) {
  const stopping = devflow(trial, ['stop', 'it']);
  const code = await stopping.ended;
  if (code !== 0) throw new Error(`devflow stop ended with ${code}: ${stopping.output()}`);
}

function devflow({ repository: { root, env } }, args) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  return {
    ended: new Promise((resolve) => child.once('exit', resolve)),
    output: () => output,
    says: (text) =>
      until(
        () => output.includes(text),
        () => output,
      ),
    kill: (signal) => child.kill(signal),
  };
}

async function until(condition, what = () => '') {
  for (const began = performance.now(); !condition(); await delay(10))
    if (performance.now() - began > LIMIT_MS) throw new Error(`never came: ${what()}`);
}

function journalOf({ root }) {
  const file = path.join(root, '.git/devflow/runs/it/journal.jsonl');
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function wrapperOf({ repository: { root } }) {
  const phase = path.join(root, '.git/devflow/runs/it/01-code/1');
  return Number.parseInt(readFileSync(path.join(phase, 'claim'), 'latin1').split('\n')[1], 10);
}

/** At least half of them, mixed anew for each trial. */
function someOf(kinds) {
  const entries = Object.entries(kinds).filter(() => Math.random() < 0.7);
  return Object.fromEntries(entries.length > 0 ? entries : Object.entries(kinds));
}

function trialsWithoutCgroups() {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(' - cgroup2 '))
    .map((line) => line.split(' ')[4]);
  const hide = mounts.map((place) => `mount -o remount,bind,ro '${place}'`).join(' && ');
  const rest = ['--in-json', '--lanes', values.lanes];
  const count = String(Math.ceil(Number(values.trials) / 4));
  const again = [process.execPath, fileURLToPath(import.meta.url), '--trials', count, ...rest];
  const output = execFileSync(
    'unshare',
    ['--mount', '/bin/sh', '-c', `${hide} && exec "$@"`, 'sh', ...again],
    { encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  return JSON.parse(output);
}

/** @returns whether nothing was left and nothing wrong */
function report(all) {
  const rows = [true, false].flatMap((grouped) =>
    Object.keys(WAYS).map((way) => {
      const of = all.filter((result) => result.way === way && result.cgroups === grouped);
      const sum = (what) => of.reduce((total, result) => total + what(result), 0);
      return {
        way,
        'control group': grouped ? 'yes' : 'no',
        trials: of.length,
        processes: sum(({ made }) => made),
        left: sum(({ left }) => left),
        wrong: sum(({ wrong }) => wrong.length),
      };
    }),
  );
  console.table(rows.filter(({ trials }) => trials > 0));
  const bad = all.filter(({ left, wrong }) => left > 0 || wrong.length > 0);
  for (const { way, kinds, left, wrong } of bad)
    console.log(`${way}: ${left} left; ${wrong.join('; ')}\n  with processes ${kinds.join(', ')}`);
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(`${all.length - bad.length} of ${all.length} trials left nothing, in ${seconds} s`);
  if (!all.some((result) => result.cgroups))
    console.log('no control group can be made here: what hides from all else was not tried');
  return bad.length === 0;
}
