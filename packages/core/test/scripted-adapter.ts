import type { AgentAdapter, AgentEvent, AgentResult } from '../src/adapter/index.js';
import { run } from '../src/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import type { RunOptions } from '../src/start.js';
import type { WorkflowDefinition } from '../src/workflow/schema.js';
import { rig } from './rig.js';

/** An adapter for a shell script, with whatever a test wants of it. */
export function scripted(script: string, more: Partial<AgentAdapter> = {}): AgentAdapter {
  return {
    name: 'scripted',
    capabilities: { modes: ['work', 'review'], continue: true, models: true },
    execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', script], stdin: prompt }),
    completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
    ...more,
  };
}

/** Its stream says what a test wants, whatever it prints. */
export function parser(
  result: Partial<AgentResult>,
  events: readonly AgentEvent[] = [],
  openCalls = 0,
): NonNullable<AgentAdapter['createParser']> {
  return () => {
    const lines: string[] = [];
    return {
      line(text) {
        lines.push(text);
        return events;
      },
      openCalls: () => openCalls,
      result: () => ({ turn: 'finished', finalText: lines.join('\n'), ...result }),
    };
  };
}

/** The script of an agent that does its work. */
export const done = `${commitFile('a')}; ${giveAnswer()}`;

/** A line of shell that uses the processor up to so many seconds, and starts nothing. */
export const burn = (seconds: number) =>
  `read -r t _ </proc/uptime; end=$(( \${t%.*} + ${seconds} )); while read -r t _ </proc/uptime; test "\${t%.*}" -lt $end; do :; done`;

interface RunAdapterOptions extends Partial<RunOptions> {
  /** Of the first commit. */
  readonly files?: Readonly<Record<string, string>>;
  readonly workflow?: Partial<WorkflowDefinition>;
}

/** The rig names shell scripts as agents; here the adapter itself is the agent. */
export async function runAdapter(
  adapter: AgentAdapter,
  phase: object = {},
  { files, workflow, env = {}, ...more }: RunAdapterOptions = {},
) {
  const used = await rig(files === undefined ? {} : { files });
  const phases = [
    {
      id: 1,
      name: 'one',
      prompt: 'Do {{task}}',
      agent: 'scripted',
      retries: 0,
      retryDelay: '1ms',
      ...phase,
    },
  ];
  const result = await run(
    { phases, ...workflow },
    {
      task: 'it',
      name: 'test',
      cwd: used.repository.root,
      env: { ...used.repository.env, ...env },
      adapters: [adapter],
      onEvent: (event) => used.events.push(event),
      ...more,
    },
  );
  return { ...used, result };
}
