import { spawn } from 'node:child_process';
import { effect } from './effect.js';

export interface BackgroundOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An open file: what it prints, on either stream. */
  readonly output: number;
}

/** A program that goes on when this one ends. */
export interface Background<Given, Told> {
  readonly pid: number;
  /** Gives it what it is to do. */
  give(what: Given): void;
  onTold(listener: (told: Told) => void): void;
  /** How it ended: `exit 0`, `SIGKILL`. All that it told has come by then. */
  readonly ended: Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** From here on nothing of it keeps this process. */
  letGo(): void;
}

/** Starts a program in a session of its own: no terminal, no input, nothing of this process but a channel. */
export async function startBackground<Given extends object, Told>(
  [program = '', ...args]: readonly string[],
  { cwd, env, output }: BackgroundOptions,
): Promise<Background<Given, Told>> {
  const child = effect('run.detach', () =>
    spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    }),
  );
  const heard = new Promise<void>((resolve) => child.once('disconnect', () => resolve()));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (status, signal) => {
      void heard.then(() => resolve(signal ?? `exit ${status}`));
    });
  });
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.on('error', () => undefined); // a message that does not arrive: its end says why
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} was started and has no pid`);
  return {
    pid,
    give: (what) => void child.send(what, () => undefined),
    onTold: (listener) => void child.on('message', (message) => listener(message as Told)), // by our own program
    ended,
    kill: (signal) => void child.kill(signal),
    letGo() {
      if (child.connected) child.disconnect();
      child.unref();
    },
  };
}

/** The other side: whoever started this process, as long as it is there. */
export interface Starter<Given, Told> {
  /** What it gives. Undefined where it goes before it has. */
  readonly given: Promise<Given | undefined>;
  /** Waits for nobody, and does nothing where nobody listens any more. */
  tell(told: Told): void;
  /** Says no more, once all that was told is on its way. */
  letGo(): Promise<void>;
}

export function starterOf<Given, Told extends object>(): Starter<Given, Told> {
  const given = new Promise<Given | undefined>((resolve) => {
    process.once('message', (message) => resolve(message as Given)); // by our own program
    process.once('disconnect', () => resolve(undefined));
    if (!process.connected) resolve(undefined);
  });
  let lastTold = Promise.resolve();
  return {
    given,
    tell(told) {
      if (!process.connected) return;
      lastTold = new Promise((resolve) => {
        process.send?.(told, undefined, undefined, () => resolve()); // it may be gone by now: nothing is lost
      });
    },
    async letGo() {
      await lastTold;
      if (process.connected) process.disconnect();
    },
  };
}
