import type { Problem } from '../adapter/index.js';
import { type CommandContext, howItEnded, runOperatorCommand } from '../evidence/checks.js';
import type { RunContext } from '../context.js';
import { askHook } from './hook.js';
import { commandLine } from '../process/command-line.js';
import { keptEnd, readProblems, thrownWords } from './said.js';
import type { Phase, PreflightItem } from '../workflow/workflow.js';

/** The workflow's own conditions of a phase, all at the same time. */
export async function checkOperatorItems(
  context: CommandContext & Pick<RunContext, 'hooks'>,
  phase: Phase,
  cwd: string,
): Promise<Problem[]> {
  const problems = await Promise.all(
    phase.preflight.map((item) =>
      'hook' in item ? hookProblems(context, phase, item.hook, cwd) : runItem(context, item, cwd),
    ),
  );
  return problems.flat();
}

async function runItem(
  context: CommandContext,
  item: Exclude<PreflightItem, { hook: string }>,
  cwd: string,
): Promise<Problem[]> {
  const result = await runOperatorCommand(context, item, cwd);
  if (result.status === 0) return [];
  const words = keptEnd(result.output.trim().split('\n').slice(-5).join('\n'));
  return [
    {
      code: 'PREFLIGHT_COMMAND_FAILED',
      message: `"${item.name}" ${howItEnded(result, item.timeoutMs)}${words === '' ? '' : `: ${words}`}`,
      hint: item.hint ?? `Run it by hand: ${commandLine(item.command)}`,
    },
  ];
}

async function hookProblems(
  context: Pick<RunContext, 'definition' | 'hooks' | 'stop'>,
  phase: Phase,
  hook: string,
  cwd: string,
): Promise<readonly Problem[]> {
  const hint = `See the hook "${hook}" in the configuration.`;
  const failed = (message: string) => [{ code: 'PREFLIGHT_HOOK_FAILED', message, hint }];
  let said: unknown;
  try {
    said = await askHook(context, phase, hook, cwd);
  } catch (error) {
    return failed(`hook "${hook}": ${thrownWords(error)}`);
  }
  try {
    return readProblems(said, hint);
  } catch (error) {
    return failed(`hook "${hook}" ${thrownWords(error)}`);
  }
}
