import type { Finding } from '@devflow/core/doctor';
import type { Terminal } from '../terminal.js';
import { block, oneLine, plural, wrap } from './style.js';

/** Each thing that was looked at, with its problems, and their number. */
export function findingsText(findings: readonly Finding[], { style, width }: Terminal): string {
  const column = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.flatMap(({ what, found, problems, notes }) => [
    `${problems.length === 0 ? style.green('✔') : style.red('✖')} ${oneLine(what).padEnd(column)}  ${wrap(found, width, ' '.repeat(column + 4))}`,
    ...problems.flatMap(({ code, message, hint }) => [
      `    ${block(`${message} (${code})`, width, '    ')}`,
      `    → ${block(hint, width, '      ')}`,
    ]),
    ...notes.map((note) => style.dim(`    ${wrap(`note: ${note}`, width, '    ')}`)),
  ]);
  const count = findings.reduce((sum, { problems }) => sum + problems.length, 0);
  const sum =
    count === 0
      ? style.green('Nothing stands in the way.')
      : style.red(`${plural(count, 'problem')} to solve.`);
  return `${[...lines, sum].join('\n')}\n`;
}
