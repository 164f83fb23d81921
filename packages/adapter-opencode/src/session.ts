import { type Fields, type Findings, type Probe, items, text } from '@devflow/core/adapter';

import type { Ask } from './preflight.js';

/**
 * A session that is not there ends the attempt at once. One that was begun in another directory may call the
 * model, print nothing, and never end.
 */
export async function inspectSession({ sessionId, cwd }: Probe, ask: Ask): Promise<Findings> {
  if (sessionId === undefined) return {};
  const { status, stdout } = await ask('session', 'list', '--format', 'json');
  const sessions = status === 0 ? readSessions(stdout) : undefined;
  if (sessions === undefined) {
    return { notes: [`Whether OpenCode still has the session ${sessionId} is unknown.`] };
  }
  const session = sessions.find(({ id }) => id === sessionId);
  const directory = text(session?.['directory']);
  if (session !== undefined && (directory === undefined || directory === cwd)) return {};
  return {
    staleSession:
      session === undefined
        ? `OpenCode has no session ${sessionId} of this repository`
        : `OpenCode's session ${sessionId} was begun in ${directory}: from here it would never end`,
  };
}

function readSessions(stdout: string): readonly Fields[] | undefined {
  if (stdout.trim() === '') return []; // what it prints where there is none
  try {
    return items(JSON.parse(stdout));
  } catch {
    return undefined;
  }
}
