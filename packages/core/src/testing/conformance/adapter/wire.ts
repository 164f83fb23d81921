import { runCommand } from '../../../process/command.js';
import type { WiringPlace } from './subject.js';

const TIMEOUT_MS = 20_000;

/** Runs the program `wire` of a directory with a HOME of its own. @throws where it does not exit by itself */
export async function runWire(
  wire: string,
  args: readonly string[],
  { home, cwd }: WiringPlace,
): Promise<{ readonly status: number }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' };
  const command = [wire, ...args];
  const { status, output } = await runCommand(command, { cwd, env, timeoutMs: TIMEOUT_MS });
  if (status === undefined) throw new Error(`${wire} did not exit by itself: ${output}`);
  return { status };
}
