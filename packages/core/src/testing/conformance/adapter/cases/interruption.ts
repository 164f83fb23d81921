import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readTable } from '../../../../process/tree.js';
import { type ConformanceCase, fail, judged } from '../../case.js';
import { whyNoCaptures } from '../captures.js';
import { runThroughEngine } from '../engine.js';
import { whyNoStub } from '../place.js';
import type { AdapterSubject } from '../subject.js';

/** How long the agent may take to be there, and a process that was killed to be gone. */
const START_MS = 20_000;
const GONE_MS = 3_000;

export const interrupted: ConformanceCase<AdapterSubject> = {
  name: 'interrupted',
  deadlineMs: 60_000,
  unsupported: (subject) => whyNoStub(subject) ?? whyNoCaptures(subject),
  async run(context) {
    const { subject, directory, observe, signal } = context;
    const pids = path.join(directory, 'pids');
    const over = new AbortController();
    const running = runThroughEngine(context, {
      mode: subject.adapter.capabilities.modes[0] ?? 'work',
      act: lingering(pids),
      signal: AbortSignal.any([over.signal, signal]),
    });
    const began = await until(() => existsSync(`${pids}.ready`), START_MS, running);
    over.abort();
    const { result } = await running;
    if (!began) return fail(`the agent was not started: ${result.reason}`);
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    const alive = () => started.filter((pid) => readTable().has(pid));
    await until(() => alive().length === 0, GONE_MS);
    const left = alive();
    observe(`the agent and its child are ${started.join(' and ')}; the run is ${result.state}`);
    return judged(
      [
        left.length === 0 ? undefined : `processes outlive the stop: ${left.join(', ')}`,
        result.state === 'stopped' ? undefined : `the run is ${result.state}, not stopped`,
      ],
      'a stop leaves no process, also none in a session of its own',
    );
  },
};

/** The agent waits for a child that has left its session and its group. */
function lingering(pids: string): string {
  return `setsid sleep 600 &
child=$!
printf '%s\\n' $$ "$child" >'${pids}'
: >'${pids}.ready'
wait "$child"`;
}

/** Waits for a condition. @param work ends the waiting as well @returns whether it came */
async function until(
  condition: () => boolean,
  limitMs: number,
  work?: Promise<unknown>,
): Promise<boolean> {
  let settled = false;
  void work?.catch(() => undefined).then(() => (settled = true));
  for (const start = performance.now(); performance.now() - start < limitMs; await delay(20))
    if (condition()) return true;
    else if (settled) return false;
  return false;
}
