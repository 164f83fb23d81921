import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../git/git.js';
import { findProgram } from '../process/program.js';
import { baseEnvironment } from '../environment.js';
import type { Message } from './message.js';

/** What a notification of the desktop needs of the caller's environment. */
export const DESKTOP_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY'];

const PROGRAM = 'notify-send';

/** What shows a message; its text may hold markup there, and is meant as it is. */
export function desktopCommand({ title, text, next }: Message): string[] {
  const body = next === undefined ? text : `${text}\n${next}`;
  const meant = body.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [PROGRAM, '--app-name=devflow', '--', title, meant];
}

/** Why nothing can be shown, without trying it; undefined where nothing is in the way. */
export function whyNoDesktop(cwd: string, env: Environment): string | undefined {
  if (findProgram(PROGRAM, cwd, baseEnvironment(env)) === undefined)
    return `${PROGRAM} is not in the PATH`;
  const usual = path.join(env['XDG_RUNTIME_DIR'] ?? '/nowhere', 'bus');
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') !== '' || existsSync(usual)) return undefined;
  return 'there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set';
}
