import type { AgentAdapter, AgentResult } from '../src/adapter/index.js';
import { run } from '../src/index.js';
import type { RunOptions } from '../src/start.js';
import type { WorkflowDefinition } from '../src/workflow/schema.js';
import { rig } from './rig.js';
import { parser } from './scripted-adapter.js';

/** An agent that is a shell script; its adapter reports what a test wants. */
export function agent(
  name: string,
  script: string,
  more: Partial<AgentAdapter> = {},
): AgentAdapter {
  return {
    name,
    capabilities: { modes: ['work', 'review'] },
    execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', script], stdin: prompt }),
    completionSignalDetected: () => true,
    ...more,
  };
}

/** An agent whose stream says what it says, whatever it prints. */
export const reporting = (result: Partial<AgentResult>) => parser(result);

/** Begins a run of one phase by such agents. */
export async function start(
  adapters: readonly AgentAdapter[],
  workflow: Partial<WorkflowDefinition>,
  phase: Partial<WorkflowDefinition['phases'][number]> = {},
  more: Partial<RunOptions> = {},
) {
  const used = await rig();
  const options = {
    cwd: used.repository.root,
    env: used.repository.env,
    adapters,
    onEvent: (event: (typeof used.events)[number]) => used.events.push(event),
    ...more,
  };
  const phases = [{ id: 1, name: 'one', prompt: 'Do it', retries: 0, retryDelay: '1ms', ...phase }];
  const result = run({ phases, ...workflow }, { task: 'it', name: 'test', ...options });
  const notes = () =>
    used.events.flatMap((event) =>
      event.type === 'note' ? [event.text] : event.type === 'preflight' ? event.notes : [],
    );
  return { ...used, options, result, notes };
}
