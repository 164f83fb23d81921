import type { Problem } from '../adapter/index.js';
import { howItEnded, runOperatorCommand } from '../checks.js';
import type { RunContext } from '../context.js';
import { inTime } from './in-time.js';
import type { Phase, PreflightItem } from '../workflow/workflow.js';

/** The workflow's own conditions of a phase, all at the same time. */
export async function checkOperatorItems(
  context: Pick<RunContext, 'definition' | 'env' | 'stop' | 'hooks'>,
  phase: Phase,
  cwd: string,
): Promise<Problem[]> {
  const problems = await Promise.all(
    phase.preflight.map((item) =>
      'hook' in item ? askHook(context, phase, item.hook, cwd) : runItem(context, item, cwd),
    ),
  );
  return problems.flat();
}

async function runItem(
  context: Pick<RunContext, 'env' | 'stop'>,
  item: Exclude<PreflightItem, { hook: string }>,
  cwd: string,
): Promise<Problem[]> {
  const result = await runOperatorCommand(context, item, cwd);
  if (result.status === 0) return [];
  const words = result.output.trim().split('\n').slice(-5).join('\n');
  return [
    {
      code: 'PREFLIGHT_COMMAND_FAILED',
      message: `"${item.name}" ${howItEnded(result, item.timeoutMs)}${words === '' ? '' : `: ${words}`}`,
      hint: item.hint ?? `Run it by hand: ${item.command.join(' ')}`,
    },
  ];
}

/** A hook that never answers would keep the run waiting for ever. */
const HOOK_LIMIT_MS = 5 * 60_000;

async function askHook(
  { hooks, definition, stop }: Pick<RunContext, 'definition' | 'hooks' | 'stop'>,
  { id, name }: Phase,
  hook: string,
  cwd: string,
): Promise<readonly Problem[]> {
  try {
    const facts = { runId: definition.id, task: definition.task, phase: { id, name }, cwd };
    return (await inTime(hooks[hook]?.(facts), HOOK_LIMIT_MS, stop)) ?? [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [
      {
        code: 'PREFLIGHT_HOOK_FAILED',
        message: `hook "${hook}": ${message}`,
        hint: 'See the hook in the configuration.',
      },
    ];
  }
}
