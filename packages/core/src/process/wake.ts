import { type FSWatcher, watch } from 'node:fs';

/** How long to gather watch events: a fast writer causes tens of thousands a second. */
const COALESCE_MS = 10;
/** Where the system has no more watches to give. */
const POLL_MS = 25;

/** Something to wait on: set off by changes below directories, by hand, or by time. */
export interface Wake {
  /** Waits for the next change, at most `ms`. A change since the last wait counts at once. */
  wait(ms: number): Promise<void>;
  /** Sets it off now, without gathering. */
  now(): void;
  close(): void;
}

export function wakeOnChanges(directories: readonly string[]): Wake {
  let changed = false;
  let resolve: (() => void) | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let polling = false;
  const watchers: FSWatcher[] = [];

  const fire = () => {
    clearTimeout(gathering);
    gathering = undefined;
    changed = true;
    resolve?.();
  };
  const gather = (_kind: string, name: string | null) => {
    // The file that ends an attempt is worth no wait.
    if (name === 'exit') fire();
    else gathering ??= setTimeout(fire, COALESCE_MS);
  };
  for (const directory of directories) {
    try {
      const watcher = watch(directory, gather);
      watcher.on('error', () => (polling = true));
      watchers.push(watcher);
    } catch {
      polling = true; // no watches left: look often instead
    }
  }

  return {
    async wait(ms) {
      if (!changed) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, polling ? Math.min(ms, POLL_MS) : ms);
          resolve = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      resolve = undefined;
      changed = false;
    },
    now: fire,
    close() {
      clearTimeout(gathering);
      for (const watcher of watchers) watcher.close();
    },
  };
}
