import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, watch } from 'node:fs';
import path from 'node:path';
import { makeDirectory, writeDurably } from './files.js';

/** How often to look, where the system tells of no change. */
const LOOK_MS = 1_000;

/** Asks the holder of a run to stop it. */
export function requestStop(inbox: string): void {
  makeDirectory(inbox);
  writeDurably(
    path.join(inbox, `stop-${randomUUID()}.json`),
    `${JSON.stringify({ v: 1, type: 'stop', at: new Date().toISOString() })}\n`,
  );
}

/** A signal that is set off by a request in the inbox, or by the caller's own signal. Requests are taken out. */
export function watchForStop(
  inbox: string,
  caller: AbortSignal | undefined,
): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const look = () => {
    for (const name of readNames(inbox)) {
      if (!/^stop-.*\.json$/.test(name)) continue;
      controller.abort();
      rmSync(path.join(inbox, name), { force: true });
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

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
