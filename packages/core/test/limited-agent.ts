import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentAdapter } from '../src/adapter/index.js';
import { type ResumeOptions, type RunEvent, resume, run, status } from '../src/index.js';
import type { RunOptions } from '../src/start.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { agent } from './reporting-agent.js';
import { rig } from './rig.js';

/** How far away a reset is said to be, in milliseconds. */
export const SOON = 400;
export const LATER = 3_600_000;

/**
 * An agent whose account a limit ends as often as the file `limited` beside the checkout has lines, and which then
 * works. It counts its launches, and keeps what it was told.
 *
 * @param resetMs from now, as it says; undefined where it does not say
 * @param account `unknown` where its preflight names none
 */
export function limitedAgent(
  directory: string,
  resetMs: number | undefined,
  { account = 'subscription', ...more }: Partial<AgentAdapter> & { account?: string } = {},
): AgentAdapter {
  const at = (name: string) => `'${path.join(directory, name)}'`;
  const script = `cat >${at('prompt')}; echo launched >>${at('launches')}
    if test -s ${at('limited')}; then sed -i 1d ${at('limited')}; echo LIMITED; exit 1; fi
    ${commitFile('done.txt')}; ${giveAnswer()}`;
  return agent('limited', script, {
    capabilities: { modes: ['work'], continue: true },
    completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
    preflight: () =>
      Promise.resolve({ problems: [], notes: [], ...(account !== 'unknown' && { account }) }),
    createParser() {
      const lines: string[] = [];
      return {
        line: (text) => {
          lines.push(text);
          return [];
        },
        openCalls: () => 0,
        result() {
          if (!lines.includes('LIMITED'))
            return { turn: 'finished', finalText: lines.join('\n'), sessionId: 's-1' };
          const reset = resetMs !== undefined && {
            resetsAt: new Date(Date.now() + resetMs).toISOString(),
          };
          const failure = { kind: 'rate-limited', message: 'too much', ...reset } as const;
          return { turn: 'failed', failure, sessionId: 's-1' };
        },
      };
    },
    ...more,
  });
}

/** A repository with such an agent, and the ways in which these tests run devflow on it. */
export async function limitedRig(
  resetMs: number | undefined,
  more: Parameters<typeof limitedAgent>[2] = {},
) {
  const used = await rig();
  const { directory, root, env } = used.repository;
  const options = {
    cwd: root,
    env,
    adapters: [limitedAgent(directory, resetMs, more)],
    onEvent: (event: RunEvent) => used.events.push(event),
  };
  const phase = { id: 1, name: 'one', prompt: 'Do it', agent: 'limited', retries: 0 };
  const at = (name: string) => path.join(directory, name);
  const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
  return {
    ...used,
    adapters: options.adapters as [AgentAdapter],
    stateDir: path.join(env['HOME'] ?? '', '.local/state/devflow'),
    begin: (name: string, other: Partial<RunOptions> & { workflow?: object } = {}) => {
      const { workflow, ...rest } = other;
      return run({ phases: [phase], ...workflow }, { task: 'it', name, ...options, ...rest });
    },
    goOn: (name: string, other: Partial<ResumeOptions> = {}) =>
      resume(name, { ...options, ...other }),
    view: (name: string) => status(name, options),
    /** The next launches end at a limit. */
    limit: (times: number) => writeFileSync(at('limited'), 'x\n'.repeat(times)),
    launches: () => read('launches').split('\n').length - 1,
    prompt: () => read('prompt'),
    notes: () =>
      used.events
        .flatMap((event) =>
          event.type === 'note' ? [event.text] : event.type === 'preflight' ? event.notes : [],
        )
        .join('\n'),
    told: (type: RunEvent['type']) => used.events.filter((event) => event.type === type),
  };
}
