import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DevflowError } from '@devflow/core/errors';

/** The task, from the one place that names it. @throws DevflowError TASK_EMPTY, OPTION_INVALID */
export async function readTask(
  argument: string | undefined,
  file: string | undefined,
  cwd: string,
): Promise<string> {
  if (argument !== undefined && file !== undefined)
    throw new DevflowError(
      'OPTION_INVALID',
      'the task is given twice: as an argument and by --task-file',
    );
  if (file !== undefined) return requireWords(readTaskFile(path.resolve(cwd, file)), file);
  if (argument === '-') return requireWords(await text(process.stdin), 'standard input');
  if (argument === undefined) throw new DevflowError('TASK_EMPTY', 'no task is given');
  return requireWords(argument, 'the task');
}

function readTaskFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { message } = cause as Error; // fs throws nothing else
    throw new DevflowError('OPTION_INVALID', `--task-file: ${message}`, { cause });
  }
}

function requireWords(task: string, source: string): string {
  if (task.trim() === '') throw new DevflowError('TASK_EMPTY', `${source} is empty`);
  return task.trim();
}
