import { DevflowError } from '@devflow/core/errors';
import type { Terminal } from '../terminal.js';
import { placeDocuments } from './hint.js';
import { block } from './style.js';

/** An error as programs get it with `--json`. */
export interface ShownError {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
  readonly problems: readonly string[];
  readonly hint?: string;
}

export function describeError(error: unknown): ShownError {
  if (error instanceof DevflowError) {
    const { code, message, problems, hint } = error;
    return { type: 'error', code, message, problems, hint: placeDocuments(hint) };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    type: 'error',
    code: 'INTERNAL',
    message,
    problems: [],
    hint: 'This is a fault of devflow itself. What the run did is kept: `devflow status`.',
  };
}

export function errorText(
  { message, problems, hint, code }: ShownError,
  { errStyle: style, errWidth: width }: Pick<Terminal, 'errStyle' | 'errWidth'>,
): string {
  const lines = [
    block(`devflow: ${message}`, width, '  ').replace('devflow:', style.red('devflow:')),
    ...problems.map((problem) => `  - ${block(problem, width, '    ')}`),
    ...(hint === undefined ? [] : [block(hint, width)]),
    style.dim(`(${code})`),
  ];
  return `${lines.join('\n')}\n`;
}
