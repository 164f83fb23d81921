import { rmSync } from 'node:fs';
import path from 'node:path';
import { figure } from '../src/figure.js';
import { interleave } from '../src/interleave.js';
import { UNIT_BYTES, writeUnit } from '../src/output-files.js';
import { makeRepository } from '../src/repository.js';
import { median, ratios } from '../src/statistics.js';
import { timeProgram } from '../src/timing.js';
import { startDevflow } from '../src/worker.js';
import { onePhase } from '../src/workflows.js';

export const title = "An agent's output";

const MB = 1_000_000;
const MARKER = 'DEVFLOW_RESULT: {"status":"success","summary":"done"}';
const SAY_MARKER = `echo '${MARKER}'`;

/** @type {readonly { name: string, kind: import('../src/output-files.js').LineKind, before: string, after: string, outcome: string }[]} */
const FLOODS = [
  { name: '1 KB lines', kind: 'kilobyte', before: ':', after: SAY_MARKER, outcome: 'completed' },
  { name: '100 KB lines', kind: 'long', before: ':', after: SAY_MARKER, outcome: 'completed' },
  { name: 'plain text, no marker', kind: 'text', before: ':', after: ':', outcome: 'incomplete' },
  {
    name: 'marker, then plain text',
    kind: 'text',
    before: SAY_MARKER,
    after: ':',
    outcome: 'incomplete',
  },
];

/** @type {import('../src/case.js').MeasureCase} */
export async function* measure({ world, library, quick, rounds }) {
  const repository = makeRepository(world);
  const copies = quick ? 1 : 4; // of a unit of 50 MB
  const size = (copies * UNIT_BYTES) / MB;
  const flood = (/** @type {string} */ script, /** @type {string[]} */ ...args) =>
    runAgent({ world, library, repository }, script, args);

  for (const { name, kind, before, after, outcome } of FLOODS) {
    const unit = writeUnit(world.directory, kind);
    const units = Array.from({ length: copies }, () => unit);
    const script = `${before}; cat "$@"; ${after}`;
    let peak = 0;
    const taken = await interleave(
      {
        async devflow() {
          const { ms, peakBytes, result } = await flood(script, ...units);
          requireOutcome(result, outcome);
          peak = Math.max(peak, peakBytes);
          return ms;
        },
        producer: () => produceOnly(world, script, units),
      },
      rounds(10),
    );
    rmSync(unit);
    const producer = Math.round(size / (median(taken.producer) / 1000));
    yield figure({
      name: `${size} MB, ${name}`,
      value: size / (median(taken.devflow) / 1000),
      unit: 'MB/s',
      target: { atLeast: 150 },
      detail: `the whole run ${Math.round(median(taken.devflow))} ms; the producer alone, into a file, ${producer} MB/s`,
    });
    yield figure({
      name: `${size} MB, ${name}: peak memory`,
      value: peak / MB,
      unit: 'MB',
      target: { atMost: 100 },
      detail: 'of the process that runs the library; the most of all rounds',
    });
  }

  for (const { name, kind, before, after, outcome } of FLOODS.slice(1, 3)) {
    const unit = writeUnit(world.directory, kind, quick ? UNIT_BYTES / 10 : UNIT_BYTES);
    const script = `${before}; cat "$@"; ${after}`;
    const attempt = async (/** @type {number} */ count) => {
      const { result } = await flood(script, ...Array.from({ length: count }, () => unit));
      requireOutcome(result, outcome);
      return result.attemptMs[0] ?? Number.NaN;
    };
    const taken = await interleave(
      { once: () => attempt(1), sixteen: () => attempt(16), nothing: () => attempt(0) },
      rounds(10),
    );
    rmSync(unit);
    const fixed = median(taken.nothing);
    const net = (/** @type {number[]} */ values) => values.map((value) => value - fixed);
    yield figure({
      name: `${name}: 16 times the input`,
      value: median(ratios(net(taken.sixteen), net(taken.once))),
      unit: 'x',
      target: { atMost: 18 },
      detail: `the time of an attempt ${Math.round(median(taken.once))} ms and ${Math.round(median(taken.sixteen))} ms, each less ${Math.round(fixed)} ms, which it takes with no output`,
    });
  }
  yield* oneLongLine({ quick, flood });
}

/** @param {{ quick: boolean, flood: (script: string, ...args: string[]) => ReturnType<typeof runAgent> }} context */
async function* oneLongLine({ quick, flood }) {
  const size = quick ? 60 : 600;
  const { ms, peakBytes, result } = await flood(
    `head -c ${size * MB} /dev/zero | tr '\\0' x; echo; ${SAY_MARKER}`,
  );
  requireOutcome(result, 'completed');
  const reported = result.notes.find((note) => /printed|line/.test(note));
  yield figure({
    name: `one line of ${size} MB: peak memory`,
    value: peakBytes / MB,
    unit: 'MB',
    target: { atMost: 100 },
    detail: `survived: the marker after it was found, ${Math.round(ms)} ms; ${reported ?? 'no event says that it was read in part'}`,
  });
  yield figure({
    name: `one line of ${size} MB: reported`,
    value: reported === undefined ? 0 : 1,
    unit: '',
    target: { atLeast: 1 },
    detail: 'events that tell that it was read in part',
  });
}

/**
 * One run in a fresh process of the library, whose memory is measured.
 * @param {{ world: import('../src/world.js').World, library: string, repository: import('../src/repository.js').Repository }} where
 * @param {string} script
 * @param {readonly string[]} args
 */
async function runAgent({ world, library, repository }, script, args) {
  const devflow = await startDevflow(world, library);
  const workflow = onePhase({ requires: ['answer'], maxOutput: '4GB' });
  const profile = { command: ['sh', '-c', script, 'agent', ...args] };
  const { ms, peakBytes, results } = await devflow.ask({
    workflow,
    cwd: repository.directory,
    runs: [{ name: 'flood', profile }],
  });
  await devflow.close();
  repository.forgetRuns();
  const [result] = results;
  if (result === undefined) throw new Error('devflow gave no result');
  return { ms, peakBytes, result };
}

/**
 * @param {import('../src/world.js').World} world
 * @param {string} script
 * @param {readonly string[]} args
 */
async function produceOnly(world, script, args) {
  const file = path.join(world.directory, 'produced');
  const ms = await timeProgram(world, 'sh', ['-c', `{ ${script}; } >"$0"`, file, ...args]);
  rmSync(file);
  return ms;
}

/**
 * @param {import('../programs/devflow.js').Result} result
 * @param {string} expected
 */
function requireOutcome({ attempts, reason }, expected) {
  const found = attempts[0]?.outcome;
  if (found !== expected)
    throw new Error(`expected the outcome ${expected}, found ${found}: ${reason}`);
}
