import { closeSync, constants, renameSync, writeSync } from 'node:fs';
import type { AgentEvent } from '../adapter/index.js';
import { isIrregular, openRegular } from '../process/own-file.js';
import { redactor } from './redact.js';

const { O_CREAT, O_TRUNC, O_WRONLY } = constants;

/** The agent events of an attempt, as they are kept and shown. */
export interface EventLog {
  /** Keeps an event (one in flight is only shown). @returns it with secrets redacted */
  write(event: AgentEvent): AgentEvent;
  close(): void;
}

/** @param secrets values that must not leave this process in an event */
export function openEventLog(file: string, secrets: readonly string[]): EventLog {
  // Taken up again after a crash, the output is read from its start. What an agent put there is none of ours.
  if (isIrregular(file)) renameSync(file, `${file}.${crypto.randomUUID()}`);
  const descriptor = openRegular(file, O_WRONLY | O_CREAT | O_TRUNC);
  const redact = redactor(secrets);
  return {
    write(event) {
      const shown = redact(event);
      if (shown.running !== true)
        writeSync(descriptor, `${JSON.stringify({ at: new Date().toISOString(), ...shown })}\n`);
      return shown;
    },
    close: () => closeSync(descriptor),
  };
}
