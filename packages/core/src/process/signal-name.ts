import os from 'node:os';

/** `SIGKILL` for 9; `signal 99` for a number that this system does not know. */
export function signalName(number: number): string {
  const known = Object.entries(os.constants.signals).find(([, value]) => value === number);
  return known?.[0] ?? `signal ${number}`;
}
