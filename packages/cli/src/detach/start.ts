import { closeSync, fstatSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunEvent } from '@devflow/core';
import { type Background, openHolderLog, startBackground } from '@devflow/core/background';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.js';
import { Interrupted } from '../interrupted.js';
import { type ReporterFlags, chooseReporter } from '../reporters/choose.js';
import type { Terminal } from '../terminal.js';
import { nameRun } from '../text/hint.js';
import { type Job, type Told, asError, isUnderWay } from './messages.js';

/** What a job is before its log is open. */
type Asked = Job extends infer Each ? (Each extends Job ? Omit<Each, 'log'> : never) : never;
/** How a holder begins: its run is under way, or all is over already. */
type Beginning =
  | { readonly type: 'under-way' }
  | { readonly type: 'ended'; readonly how: string }
  | Exclude<Told, { type: 'event' }>;

const PROGRAM = fileURLToPath(new URL('./holder.js', import.meta.url));

/**
 * Has another devflow, without a terminal, do it, and stays until the run is under way. What goes wrong before
 * that is shown as if it had happened here, and leaves no process.
 */
export async function detach(
  asked: Asked,
  flags: ReporterFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  const { descriptor, file: log } = openHolderLog(asked.directory);
  const said = textSince(descriptor);
  try {
    const holder = await startBackground<Job, Told>(
      [process.execPath, PROGRAM, asked.command, asked.runId], // the last two are for people to see
      { cwd: process.cwd(), env: process.env, output: descriptor },
    );
    holder.give({ ...asked, log });
    return await follow(holder, asked, flags, terminal, said);
  } finally {
    closeSync(descriptor);
    // Where the run has a directory, it was moved there.
    if (path.dirname(log) !== asked.directory) rmSync(log, { force: true });
  }
}

async function follow(
  holder: Background<Job, Told>,
  { runId, directory }: Asked,
  flags: ReporterFlags,
  terminal: Terminal,
  said: () => string,
): Promise<ExitCode> {
  const reporter = await chooseReporter(flags, terminal);
  const kept: RunEvent[] = []; // of a run that goes on, a program is given one object
  const show = (event: RunEvent) =>
    flags.json === true ? kept.push(event) : reporter.event(event);
  const interruption = passSignals(holder);
  try {
    const began = await beginning(holder, show);
    if (began.type === 'under-way') {
      await reporter.close();
      terminal.out(farewell({ run: runId, pid: holder.pid, directory }, flags));
      holder.letGo();
      return EXIT.completed;
    }
    await holder.ended;
    for (const event of kept) reporter.event(event);
    if (began.type === 'failed') throw asError(began.error);
    if (began.type === 'ended') {
      if (interruption.interrupted) throw new Interrupted();
      throw new Error(`the devflow in the background ended (${began.how}): ${said()}`);
    }
    await reporter.finish(began.result);
    return interruption.interrupted && began.result.state === 'stopped'
      ? EXIT.interrupted
      : exitCodeOf(began.result);
  } catch (error) {
    await reporter.close();
    throw nameRun(error, runId);
  } finally {
    interruption.close();
  }
}

function beginning(
  holder: Background<Job, Told>,
  show: (event: RunEvent) => void,
): Promise<Beginning> {
  return new Promise((resolve) => {
    holder.onTold((told) => {
      if (told.type !== 'event') return resolve(told);
      show(told.event);
      if (isUnderWay(told.event)) resolve({ type: 'under-way' });
    });
    void holder.ended.then((how) => resolve({ type: 'ended', how }));
  });
}

/** Until the run is under way, whoever interrupts the command means the run. Where the terminal is closed it goes on: that was asked for. */
function passSignals(holder: Background<Job, Told>) {
  let interrupted = false;
  const stop = () => {
    interrupted = true;
    holder.kill('SIGTERM');
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    get interrupted() {
      return interrupted;
    },
    close() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

function farewell(
  begun: { readonly run: string; readonly pid: number; readonly directory: string },
  { json, quiet }: ReporterFlags,
): string {
  const { run, pid } = begun;
  if (json === true) return `${JSON.stringify({ type: 'detached', v: 1, ...begun })}\n`;
  if (quiet === true) return `${run}\n`;
  const commands = [
    [`devflow attach ${run}`, 'watch it'],
    [`devflow status ${run}`, 'what it is doing'],
    [`devflow stop ${run}`, 'end it'],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length));
  const lines = commands.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`);
  return [`run ${run} goes on without this terminal, in process ${pid}:`, ...lines, ''].join('\n');
}

/** What is written to a file from now on. */
function textSince(descriptor: number): () => string {
  const { size: from } = fstatSync(descriptor);
  return () => {
    const bytes = Buffer.alloc(fstatSync(descriptor).size - from);
    readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes.toString('utf8').trim();
  };
}
