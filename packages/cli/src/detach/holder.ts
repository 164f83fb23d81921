/** The program of a devflow without a terminal: `devflow run --detach` starts it, and goes. */
import { writeSync } from 'node:fs';
import { moveHolderLog, starterOf } from '@devflow/core/background';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { type UnderWay, watchSignals } from '../signals.js';
import { type Work, whatGoesOn } from '../supervise.js';
import { oneLine } from '../text/style.js';
import { type Job, type Told, isUnderWay, toldError } from './messages.js';

const starter = starterOf<Job, Told>();
let isOver = false;
/** Does anybody show what is told? */
let isShown = true;
process.on('uncaughtException', (error) => void fail(error));
process.once('exit', (status) => {
  if (!isOver) log(`ended with exit ${status} before its work was done`);
});
const job = await starter.given;
if (job === undefined) {
  isOver = true; // nobody knows of it yet
  process.exit(EXIT.interrupted);
}
try {
  await hold(job);
} catch (error) {
  await fail(error);
}

async function hold(asked: Job): Promise<void> {
  const { runId, directory } = asked;
  let underWay: UnderWay = 'other';
  const { signal } = watchSignals(log, () => runId, {
    front: 'detached',
    underWay: () => underWay,
  });
  const work = await workOf(asked);
  let isNew = true;
  const result = await work({
    signal,
    wait: 'unless-preflight', // nobody would know that it is there
    onEvent(event) {
      underWay = whatGoesOn(event) ?? underWay;
      starter.tell({ type: 'event', event });
      if (isUnderWay(event)) goOnAlone();
      if (isNew) moveHolderLog(asked.log, directory); // now the run has one
      isNew = false;
    },
  });
  starter.tell({ type: 'result', result });
  await end(exitCodeOf(result));
}

function goOnAlone(): void {
  isShown = false;
  void starter.letGo();
}

async function workOf(asked: Job): Promise<Work> {
  if (asked.command === 'run') {
    const { prepareRun } = await import('../commands/run.js');
    return (await prepareRun(asked.task, asked.flags)).work;
  }
  const { prepareResume } = await import('../commands/resume.js');
  return prepareResume(asked.runId, asked.flags);
}

/** To whoever started it, as long as that listens; else into the log, its last line saying what it was. */
async function fail(error: unknown): Promise<never> {
  const told = toldError(error);
  if (isShown && process.connected) starter.tell({ type: 'failed', error: told });
  else {
    const { code = 'INTERNAL', message, problems } = told;
    if (told.code === undefined) log(message);
    const [words = ''] = message.split('\n');
    log(`${[words, ...problems].join('; ')} (${code})`);
  }
  return end(EXIT.failed);
}

async function end(code: number): Promise<never> {
  isOver = true;
  await starter.letGo();
  process.exit(code);
}

function log(text: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} ${oneLine(text)}\n`);
  } catch {
    // the disk is full: there is no place left to say so
  }
}
