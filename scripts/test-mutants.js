// For each guard in mutants.json: breaks it in a copy of the sources, runs the test that is named for it, and
// fails where that test stays green. `node scripts/test-mutants.js <part of a name>` tries some of them; with
// --parts=8 every eighth one, others for another commit.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const asked = process.argv.slice(2);
const wanted = asked.find((arg) => !arg.startsWith('--')) ?? '';
const all = JSON.parse(readFileSync(path.join(root, 'scripts/mutants.json'), 'utf8')).filter(
  ({ name }) => name.includes(wanted),
);
const parts = Number(
  asked.find((arg) => arg.startsWith('--parts='))?.slice('--parts='.length) ?? 1,
);
everyTestIsThere(all);
const mutants = partOf(all, parts);
const LANES = 2;
/** Tests that import one of these fail with any mutant of a source: they are no proof. */
const BUILT = /from '\.\/(?:built|command-line|own-adapters|terminal|pseudo-terminal)\.js'/;
const SOURCES = [
  'packages',
  'test',
  'scripts',
  'docs',
  'vitest.config.ts',
  'package.json',
  'tsconfig.base.json',
];

const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-mutants-'));
let survivors = 0;
try {
  const lanes = Array.from({ length: LANES }, (_, index) =>
    copySources(path.join(directory, `lane-${index}`)),
  );
  await everyTestIsGreen(lanes[0]);
  const queue = [...mutants];
  await Promise.all(lanes.map((lane) => work(lane, queue)));
} finally {
  endLeftovers();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${mutants.length - survivors} of ${mutants.length} broken guards are noticed`);
process.exitCode = survivors === 0 ? 0 : 1;

/** Of those as well that are not tried this time: who renames a test would hear of it weeks later. */
function everyTestIsThere(list) {
  const args = [path.join(root, 'node_modules/vitest/vitest.mjs'), 'list', '--json'];
  const listed = JSON.parse(
    execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  );
  const namesOf = groupByFile(listed);
  const missing = list.filter(({ test }) => {
    const [file, ...names] = test.split(' > ');
    return !(namesOf.get(file) ?? []).some((name) => name.includes(names.join(' > ')));
  });
  if (missing.length > 0)
    throw new Error(
      `no such test:\n${missing.map(({ name, test }) => `${name}: ${test}`).join('\n')}`,
    );
}

function groupByFile(listed) {
  const namesOf = new Map();
  for (const { file, name } of listed) {
    const at = path.relative(root, file);
    namesOf.set(at, [...(namesOf.get(at) ?? []), name]);
  }
  return namesOf;
}

/** By the commit: over time each is tried. */
function partOf(list, count) {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const part = Number.parseInt(head.slice(0, 8), 16) % count;
  const some = list.filter((_, index) => index % count === part);
  console.log(`${some.length} of ${list.length} by the commit; all of them: npm run test:mutants`);
  return some;
}

/** The sources, with node_modules whose links to this repository's packages lead to the copies. */
function copySources(lane) {
  for (const name of SOURCES) {
    cpSync(path.join(root, name), path.join(lane, name), {
      recursive: true,
      filter: (file) => !file.includes('node_modules'),
    });
  }
  const modules = path.join(lane, 'node_modules');
  mkdirSync(path.join(modules, '@devflow'), { recursive: true });
  for (const name of readdirSync(path.join(root, 'node_modules'))) {
    if (name === '@devflow' || name === 'devflow') continue;
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
  for (const name of readdirSync(path.join(root, 'packages'))) {
    const own = name === 'cli' ? 'devflow' : `@devflow/${name}`;
    symlinkSync(path.join(lane, 'packages', name), path.join(modules, own));
    const nested = path.join(root, 'packages', name, 'node_modules');
    try {
      readdirSync(nested);
      symlinkSync(nested, path.join(lane, 'packages', name, 'node_modules'));
    } catch {
      // everything of this package is hoisted
    }
  }
  return lane;
}

/**
 * With its guards broken devflow leaves processes behind. Those of the tests have their own HOME, below the
 * directory of this run, and so are known by it.
 */
function endLeftovers() {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
      if (environment.includes(`HOME=${directory}/`)) process.kill(Number(name), 'SIGKILL');
    } catch {
      // gone by now, or not ours
    }
  }
}

async function everyTestIsGreen(lane) {
  const files = [...new Set(mutants.map(({ test }) => test.split(' > ')[0]))];
  const { passed, output } = await vitest(lane, files);
  if (!passed)
    throw new Error(`the tests are not green without a mutant:\n${failures(output).join('\n')}`);
}

/** The names of what failed, or the end of what was printed where that is no report. */
function failures(output) {
  try {
    const { testResults } = JSON.parse(output);
    return testResults.flatMap(({ name, message, assertionResults }) => [
      ...(assertionResults.length === 0 ? [`${name}: ${message}`] : []),
      ...assertionResults
        .filter(({ status }) => status === 'failed')
        .map(
          ({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.slice(0, 400)}`,
        ),
    ]);
  } catch {
    return [output.slice(-4000)];
  }
}

async function work(lane, queue) {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const verdict = await tryMutant(lane, mutant);
    if (verdict !== 'noticed') survivors += 1;
    console.log(
      `${verdict === 'noticed' ? 'ok  ' : 'FAIL'} ${mutant.name}${verdict === 'noticed' ? '' : `: ${verdict}`}`,
    );
  }
}

async function tryMutant(lane, { file, find, replace, test }) {
  const target = path.join(lane, file);
  const source = readFileSync(target, 'utf8');
  if (source.split(find).length !== 2) return `"${find}" does not stand exactly once in ${file}`;
  const [testFile, ...names] = test.split(' > ');
  const tests = readFileSync(path.join(lane, testFile), 'utf8');
  if (BUILT.test(tests)) return `${testFile} runs the built program, which is not built again here`;
  writeFileSync(
    target,
    source.replace(find, () => replace),
  );
  try {
    const { passed, output, ran } = await vitest(lane, [testFile], names.join(' '));
    if (!ran) return `no test is called "${names.join(' > ')}"\n${output.slice(-1000)}`;
    return passed ? `"${test}" stays green` : 'noticed';
  } finally {
    writeFileSync(target, source);
  }
}

function vitest(lane, files, name) {
  const filter =
    name === undefined || name === ''
      ? []
      : ['--testNamePattern', name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')];
  const args = [
    path.join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=json',
    ...filter,
    ...files,
  ];
  const TMPDIR = `${lane}-temporary`; // beside the sources: worktrees below them would be refused
  mkdirSync(TMPDIR, { recursive: true });
  const env = { ...process.env, TMPDIR };
  const child = spawn(process.execPath, args, {
    cwd: lane,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  return new Promise((resolve) => {
    child.once('close', (status) => {
      const report = parseReport(output);
      const ran =
        report === undefined
          ? status !== 0
          : report.numPassedTests + report.numFailedTests > 0 || report.numFailedTestSuites > 0;
      resolve({ passed: status === 0, ran, output: output + errors });
    });
  });
}

function parseReport(output) {
  try {
    return JSON.parse(output.slice(output.indexOf('{')));
  } catch {
    return undefined;
  }
}
