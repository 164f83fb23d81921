import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DevflowError } from '../../../errors.js';
import type { Environment } from '../../../git/git.js';
import { endWithParent } from '../../../process/watched.js';
import { type ApartOptions, runSuiteApart } from '../apart.js';
import type { ConformanceReport } from '../report.js';
import { sayInto, sayRefused } from '../said.js';
import { type ConformanceSuite, type SuiteOptions, runSuite, timesOf, within } from '../suite.js';
import { readsAnyOutput } from './cases/any-output.js';
import { preflightAnswers } from './cases/any-preflight.js';
import { buildsACommand } from './cases/command.js';
import { eventsNormalised } from './cases/events.js';
import { sessionId, usageReported } from './cases/figures.js';
import { interrupted } from './cases/interruption.js';
import { preflightHonest, wireIdempotent } from './cases/machine.js';
import { modeReview, modeWork } from './cases/modes.js';
import { namesItself } from './cases/naming.js';
import { completionNotInvented } from './cases/not-invented.js';
import { completionDetected, exitPassthrough, finalTextOnStdout } from './cases/output.js';
import { installedProgram, placeProgram } from './place.js';
import { askPreflight } from './preflight.js';
import type { AdapterSubject } from './subject.js';

/** What every adapter must prove. */
const adapterSuite: ConformanceSuite<AdapterSubject> = {
  name: 'adapter conformance',
  cases: [
    namesItself,
    readsAnyOutput,
    preflightAnswers,
    buildsACommand,
    modeWork,
    modeReview,
    finalTextOnStdout,
    exitPassthrough,
    completionDetected,
    completionNotInvented,
    eventsNormalised,
    usageReported,
    sessionId,
    wireIdempotent,
    preflightHonest,
    interrupted,
  ],
};

/** Asks an adapter all that the contract promises. @throws DevflowError OPTION_INVALID where `only` names no case */
export async function conformAdapter(
  subject: AdapterSubject,
  options: SuiteOptions = {},
): Promise<ConformanceReport> {
  const { name, capabilities } = subject.adapter;
  const agent = await agentVersion(subject, timesOf(options).deadlineMs);
  const versions = agent === undefined ? {} : { [name]: agent };
  return runSuite(
    adapterSuite,
    subject,
    { subject: name, capabilities: { ...capabilities }, versions },
    options,
  );
}

/**
 * Asks an adapter in a process of its own, which ends by {@link answerApart}; see there what it throws.
 *
 * @throws DevflowError OPTION_INVALID where `only` names no case
 */
export async function conformAdapterApart(options: ApartOptions): Promise<ConformanceReport> {
  return runSuiteApart(adapterSuite, options);
}

/**
 * What that process does: says all into a file, the error too where there is nothing to ask.
 *
 * @param load gives the subject, and may run code of the adapter
 * @param env the caller's: the agent's program is looked for in it
 * @param options as JSON, from the one that asks
 */
export async function answerApart(
  load: () => Promise<AdapterSubject>,
  env: Environment,
  file: string,
  options: string,
): Promise<void> {
  endWithParent();
  const say = sayInto(file);
  try {
    const subject = await load();
    const { name, capabilities } = subject.adapter;
    say.onFacts({ subject: name, capabilities: { ...capabilities } }); // from here on its own functions are called
    const realBinary = subject.realBinary ?? installedProgram(subject, env);
    const given = JSON.parse(options) as SuiteOptions; // of our own version
    await conformAdapter({ ...subject, realBinary }, { ...given, ...say });
  } catch (error) {
    if (!(error instanceof DevflowError)) throw error;
    sayRefused(file, error);
  }
}

/** What the program that is installed says of itself; undefined where none is, or where it does not say: the cases tell why. */
async function agentVersion(subject: AdapterSubject, limitMs: number): Promise<string | undefined> {
  const { realBinary: program, adapter } = subject;
  if (program === undefined) return undefined;
  const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-conformance-'));
  try {
    const [mode = 'work'] = adapter.capabilities.modes;
    const placed = placeProgram(subject, program).adapter;
    const asked = askPreflight(subject, placed, { directory, program, mode });
    return (await within(limitMs, asked, 'it does not answer')).version;
  } catch {
    return undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
