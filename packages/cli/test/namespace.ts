import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Mounts that only the processes within it see, and that are gone when the test has finished. */
export interface MountNamespace {
  /** What comes before a command to run it within, in a directory. */
  enter(cwd: string): readonly string[];
  /** Runs lines of shell within. @returns what they print */
  sh(script: string): string;
  /** A path as it is within, for a process outside. */
  path(inside: string): string;
}

/** @throws Error where this machine lets nobody make one: what it is for cannot be tested then */
export async function mountNamespace(): Promise<MountNamespace> {
  const isRoot = process.getuid?.() === 0;
  const own = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const child = spawn('unshare', [...own, 'sh', '-c', 'echo ready; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => end(child));
  const said = (
    await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')])
  ).join();
  if (!said.includes('ready')) {
    throw new Error(
      `this test needs a mount namespace, and cannot have one: ${said.trim()}. Run it as root, or allow user namespaces.`,
    );
  }
  const into = isRoot ? ['--mount'] : ['--user', '--preserve-credentials', '--mount'];
  const enter = (cwd: string) => [
    'nsenter',
    '--target',
    `${child.pid}`,
    ...into,
    'sh',
    '-c',
    'cd "$0" && exec "$@"',
    cwd,
  ];
  return {
    enter,
    sh(script) {
      const [program = '', ...args] = enter('/');
      return execFileSync(program, [...args, 'sh', '-ec', script], { encoding: 'utf8' });
    },
    path: (inside) => `/proc/${child.pid}/root${inside}`,
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
