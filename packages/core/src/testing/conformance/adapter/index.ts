import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ConformanceReport } from '../report.js';
import { type ConformanceSuite, type SuiteOptions, runSuite } from '../suite.js';
import { buildsACommand } from './cases/command.js';
import { eventsNormalised } from './cases/events.js';
import { sessionId, usageReported } from './cases/figures.js';
import { interrupted } from './cases/interruption.js';
import { preflightHonest, wireIdempotent } from './cases/machine.js';
import { modeReview, modeWork } from './cases/modes.js';
import { namesItself } from './cases/naming.js';
import { completionNotInvented } from './cases/not-invented.js';
import { completionDetected, exitPassthrough, finalTextOnStdout } from './cases/output.js';
import { placeProgram } from './place.js';
import { askPreflight } from './preflight.js';
import type { AdapterSubject } from './subject.js';

/** What every adapter must prove. */
const adapterSuite: ConformanceSuite<AdapterSubject> = {
  name: 'adapter conformance',
  cases: [
    namesItself,
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
  const agent = await agentVersion(subject);
  const versions = agent === undefined ? {} : { [name]: agent };
  return runSuite(
    adapterSuite,
    subject,
    { subject: name, capabilities: { ...capabilities }, versions },
    options,
  );
}

/** What the program that is installed says of itself; undefined where none is, or where it does not say. */
async function agentVersion(subject: AdapterSubject): Promise<string | undefined> {
  const { realBinary: program, adapter } = subject;
  if (program === undefined) return undefined;
  const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-conformance-'));
  try {
    const [mode = 'work'] = adapter.capabilities.modes;
    const placed = placeProgram(subject, program).adapter;
    return (await askPreflight(subject, placed, { directory, program, mode })).version;
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
