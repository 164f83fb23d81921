import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, watch } from 'node:fs';
import path from 'node:path';
import { effect } from '../process/effect.js';
import { isGone } from '../process/system-error.js';
import { makeWithin, writeDurably } from './files.js';

/** Requests of others to the holder of a run: a file each, whole when it is there. */

/** How often to look, where the system tells of no change. */
const LOOK_MS = 1_000;

export type RequestType = 'stop' | 'decide';

/** Leaves a request for the holder. @returns its file */
export function request(inbox: string, type: RequestType, more: object = {}): string {
  const file = path.join(inbox, `${type}-${randomUUID()}.json`);
  const content = { v: 1, type, at: new Date().toISOString(), ...more };
  effect('inbox.request', () => {
    makeWithin(inbox);
    writeDurably(file, `${JSON.stringify(content)}\n`);
  });
  return file;
}

/** Asks the holder of a run to stop it. */
export function requestStop(inbox: string): void {
  request(inbox, 'stop');
}

/** Forgets requests to stop, to a holder that is gone: whoever takes the run over does so by a newer word. */
export function clearRequests(inbox: string): void {
  for (const file of requests(inbox, 'stop'))
    effect('inbox.clear', () => rmSync(file, { force: true }));
}

/** The files of the requests of a type, oldest name first. */
export function requests(inbox: string, type: RequestType): string[] {
  try {
    return readdirSync(inbox)
      .filter((name) => name.startsWith(`${type}-`) && name.endsWith('.json'))
      .map((name) => path.join(inbox, name));
  } catch (error) {
    if (isGone(error)) return []; // no inbox yet
    throw error;
  }
}

/** Looks whenever something has changed in the inbox, and each second: what it throws is tried again then. */
export function watchInbox(inbox: string, look: () => void): { close(): void } {
  const tryLook = () => {
    try {
      look();
    } catch {
      // No handle left, or a disk that has become read-only. To throw here would end the process.
    }
  };
  const timer = setInterval(tryLook, LOOK_MS).unref();
  const watcher = tryWatch(inbox, tryLook);
  tryLook();
  return {
    close() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** Why a signal of {@link watchForStop} was set off where somebody asked for that. */
const REQUESTED = new DOMException('the run was asked to stop', 'AbortError');

/** Was the run asked to stop? Else its caller goes, and what waits without anybody may go on waiting. */
export function isRequested(stop: AbortSignal): boolean {
  return stop.reason === REQUESTED;
}

/** A signal that is set off by a request in the inbox, or by the caller's own signal. Requests are taken out. */
export function watchForStop(
  inbox: string,
  caller: AbortSignal | undefined,
): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const watched = watchInbox(inbox, () => {
    for (const file of requests(inbox, 'stop')) {
      controller.abort(REQUESTED);
      effect('inbox.take', () => rmSync(file, { force: true }));
    }
  });
  return {
    signal: caller === undefined ? controller.signal : AbortSignal.any([caller, controller.signal]),
    close: () => watched.close(),
  };
}

function tryWatch(directory: string, onChange: () => void) {
  try {
    return watch(directory, onChange).on('error', () => undefined);
  } catch {
    return undefined; // no watches left: the timer looks
  }
}
