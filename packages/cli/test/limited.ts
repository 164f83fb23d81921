import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type RunStatus, status } from '@devflow/core/status';
import { until } from './command-line.js';
import { OWN, accept, configure, here, onePhase, write } from './own-adapters.js';
import { WORKS } from './workflows.js';

/** How far away a reset is said to be, in milliseconds. */
export const SOON = 400;
export const LATER = 3_600_000;

const at = (name: string) => path.join(here.directory, name);

/**
 * Makes an adapter whose agent counts its launches, and is ended by a limit for each line of the file `limited`: the
 * line says how far away the reset is. Its account is named unless there is a file `nameless`.
 */
export async function useLimitedAgent(): Promise<void> {
  const script = `echo launched >>'${at('launches')}'
    until mkdir '${at('taking')}' 2>/dev/null; do sleep 0.01; done # each line is for one
    line=$(head -1 '${at('limited')}'); sed -i 1d '${at('limited')}'
    rmdir '${at('taking')}'
    test -z "$line" || { echo "LIMITED $line"; exit 1; }
    ${WORKS}`;
  write({
    [`${OWN}/limited.mjs`]: `
      import { existsSync } from 'node:fs';
      const parser = () => {
        const lines = [];
        return {
          line: (text) => { lines.push(text); return []; },
          openCalls: () => 0,
          result() {
            const [, ms] = /^LIMITED (\\d+)$/m.exec(lines.join('\\n')) ?? [];
            if (ms === undefined) return { turn: 'finished', finalText: lines.join('\\n') };
            const resetsAt = new Date(Date.now() + Number(ms)).toISOString();
            return { turn: 'failed', failure: { kind: 'rate-limited', message: 'too much', resetsAt } };
          },
        };
      };
      export const adapter = {
        name: 'limited',
        capabilities: { modes: ['work'] },
        execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', ${JSON.stringify(script)}], stdin: prompt }),
        completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
        createParser: parser,
        preflight: async () => ({
          problems: [], notes: [],
          ...(!existsSync(${JSON.stringify(at('nameless'))}) && { account: 'subscription' }),
        }),
      };`,
  });
  configure(onePhase('limited'));
  await accept('limited');
}

/** The next launches end at limits with these resets, in milliseconds. */
export function limit(...resets: number[]): void {
  writeFileSync(at('limited'), resets.map((ms) => `${ms}\n`).join(''));
}

/** From here on the adapter names no account. */
export const namesNoAccount = () => writeFileSync(at('nameless'), '');

export function launches(): number {
  return existsSync(at('launches'))
    ? readFileSync(at('launches'), 'utf8').split('\n').length - 1
    : 0;
}

export const statusOf = (run: string): Promise<RunStatus> =>
  status(run, { cwd: here.root, env: here.env });

/** Waits until the instant has come that a run waits for. */
export async function untilDue(run: string): Promise<void> {
  const { until: instant = '' } = await statusOf(run);
  await until(
    () => Date.parse(instant) <= Date.now(),
    () => instant,
  );
}
