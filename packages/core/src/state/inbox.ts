import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, watch } from 'node:fs';
import path from 'node:path';
import { effect } from '../process/effect.js';
import { isGone } from '../process/system-error.js';
import { makeWithin, writeDurably } from './files.js';

/** How often to look, where the system tells of no change. */
const LOOK_MS = 1_000;

/** Asks the holder of a run to stop it. */
export function requestStop(inbox: string): void {
  const request = { v: 1, type: 'stop', at: new Date().toISOString() };
  effect('inbox.request', () => {
    makeWithin(inbox);
    writeDurably(path.join(inbox, `stop-${randomUUID()}.json`), `${JSON.stringify(request)}\n`);
  });
}

/** Forgets requests to a holder that is gone: whoever takes the run over does so by a newer word. */
export function clearRequests(inbox: string): void {
  for (const name of requests(inbox))
    effect('inbox.clear', () => rmSync(path.join(inbox, name), { force: true }));
}

/** A signal that is set off by a request in the inbox, or by the caller's own signal. Requests are taken out. */
export function watchForStop(
  inbox: string,
  caller: AbortSignal | undefined,
): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const look = () => {
    try {
      for (const name of requests(inbox)) {
        controller.abort();
        effect('inbox.take', () => rmSync(path.join(inbox, name), { force: true }));
      }
    } catch {
      // No handle left, or a disk that has become read-only: it is looked again in a second. To throw here would end the process.
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();
  const watcher = tryWatch(inbox, look);
  look();
  return {
    signal: caller === undefined ? controller.signal : AbortSignal.any([caller, controller.signal]),
    close() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

function tryWatch(directory: string, onChange: () => void) {
  try {
    return watch(directory, onChange).on('error', () => undefined);
  } catch {
    return undefined; // no watches left: the timer looks
  }
}

function requests(inbox: string): string[] {
  try {
    return readdirSync(inbox).filter((name) => /^stop-.*\.json$/.test(name));
  } catch (error) {
    if (isGone(error)) return []; // no inbox yet
    throw error;
  }
}
