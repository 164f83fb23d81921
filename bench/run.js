#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CASES, HELP, readOptions } from './src/options.js';
import { tableOf } from './src/report.js';
import { endAllWorlds, openWorld, placeForRepositories } from './src/world.js';

/** Rounds of a smoke run: enough to reach every line. */
const QUICK_ROUNDS = 2;

const options = readOptionsOrRefuse();
if (options.help) {
  process.stdout.write(HELP);
  process.exit();
}
const root = path.resolve(import.meta.dirname, '..');
const library = path.resolve(options.core ?? path.join(root, 'packages/core/dist'));
if (!existsSync(path.join(library, 'index.js')))
  refuse(`${library} has no index.js: build it first (npm run prepare)`);
process.once('SIGINT', () => void endEarly(130));
process.once('SIGTERM', () => void endEarly(143));

const machine = describeMachine();
write(`${Object.values(machine).join(', ')}\n\n`);
/** @type {import('./src/report.js').CaseResult[]} */
const cases = [];
for (const id of CASES.filter((each) => options.only.includes(each))) {
  const result = await runCase(id);
  cases.push(result);
  write(`${tableOf(result)}\n`);
}
const figures = cases.flatMap((each) => each.figures);
const reached = figures.filter((each) => each.reached === true).length;
const missed = figures.filter((each) => each.reached === false).length;
const skipped = figures.filter((each) => each.skipped !== undefined).length;
const early = cases.filter((each) => each.error !== undefined).length;
write(`Targets: ${reached} reached, ${missed} not. Skipped: ${skipped}. Ended early: ${early}.\n`);

const report = { at: new Date().toISOString(), quick: options.quick, machine, cases };
const text = `${JSON.stringify(report, undefined, 2)}\n`;
mkdirSync(path.join(import.meta.dirname, 'results'), { recursive: true });
writeFileSync(path.join(import.meta.dirname, 'results/latest.json'), text);
if (options.json) process.stdout.write(text);
if (options.check && missed + early > 0) process.exitCode = 1;

/**
 * @param {string} id
 * @returns {Promise<import('./src/report.js').CaseResult>}
 */
async function runCase(id) {
  const { title, measure } = await import(`./cases/${id}.js`);
  const world = openWorld();
  /** @type {import('./src/report.js').CaseResult} */
  const result = { id, title, figures: [] };
  try {
    const { quick } = options;
    const rounds = (/** @type {number} */ usual) =>
      options.rounds ?? (quick ? QUICK_ROUNDS : usual);
    for await (const figure of measure({ world, library, root, quick, rounds }))
      result.figures.push(figure);
  } catch (error) {
    result.error = error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    await world.end();
  }
  return result;
}

/** The table is for people: with --json it goes to standard error. @param {string} words */
function write(words) {
  (options.json ? process.stderr : process.stdout).write(words);
}

function describeMachine() {
  const place = placeForRepositories();
  return {
    node: `Node.js ${process.version}`,
    git: execFileSync('git', ['--version'], { encoding: 'utf8' }).trim(),
    processors: `${os.availableParallelism()} processors`,
    load: `load ${os.loadavg()[0]?.toFixed(1)}`,
    repositories: `repositories ${place.inMemory ? 'in memory' : 'on a disk'} (${place.directory})`,
  };
}

function readOptionsOrRefuse() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} why @returns {never} */
function refuse(why) {
  process.stderr.write(`bench: ${why}\n`);
  process.exit(2);
}

/** @param {number} status */
async function endEarly(status) {
  await endAllWorlds();
  process.exit(status);
}
