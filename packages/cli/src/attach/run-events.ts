import path from 'node:path';
import type { AgentEvent, OnRunEvent, RunEvent } from '@devflow/core';
import { type Tail, openTail } from '../logs/tail.js';

type AgentRunEvent = Extract<RunEvent, { type: 'agent' }>;

/** The events of a run that another devflow holds, as it keeps them. */
export interface KeptEvents {
  /** What is over since the run was started or resumed last: of what agents did, the end of what is under way. @returns how many there were */
  readonly replay: (show: OnRunEvent) => number;
  /** What came since. */
  readonly read: (show: OnRunEvent) => void;
}

/** So much of what the agent at work did before is shown. */
const REPLAYED = 20;

export function openKeptEvents(runDirectory: string): KeptEvents {
  const runTail = openTail(path.join(runDirectory, 'events.jsonl'));
  let agent:
    { readonly started: RunEvent & { type: 'attempt-started' }; readonly tail: Tail } | undefined;

  const readRun = () => collect<RunEvent>((take) => runTail.readLines(take));
  const readAgent = (): AgentRunEvent[] => {
    if (agent === undefined) return [];
    const { started, tail } = agent;
    const { v, run, phase, attempt } = started;
    return collect<AgentEvent & { at: string }>((take) => tail.readLines(take)).map((event) => ({
      v,
      at: event.at,
      run,
      type: 'agent',
      phase,
      attempt,
      event,
    }));
  };
  const follow = (event: RunEvent) => {
    if (event.type === 'attempt-ended') agent = undefined;
    if (event.type === 'attempt-started')
      agent = { started: event, tail: openTail(path.join(event.directory, 'events.jsonl')) };
  };
  return {
    replay(show) {
      const all = readRun();
      const isBegin = ({ type }: RunEvent) => type === 'run-started' || type === 'run-resumed';
      const events = all.slice(Math.max(0, all.findLastIndex(isBegin)));
      for (const event of events) {
        show(event);
        follow(event);
      }
      for (const event of readAgent().slice(-REPLAYED)) show(event);
      return events.length;
    },
    read(show) {
      const events = readRun(); // before what the agent did: it came later than some of that
      for (const event of events) {
        for (const done of readAgent()) show(done);
        show(event);
        follow(event);
      }
      for (const done of readAgent()) show(done);
    },
  };
}

/** Lines that devflow wrote. One that a holder which died left in half is none. */
function collect<T>(read: (take: (line: string) => void) => void): T[] {
  const found: T[] = [];
  read((line) => {
    try {
      const value = JSON.parse(line) as { type?: unknown; event?: unknown } | null;
      // What agents did stands with their attempts: here it is none of devflow's.
      if (typeof value !== 'object' || value === null || value.type === 'agent') return;
      found.push(value as T);
    } catch {
      // an empty line, or the half of one
    }
  });
  return found;
}
