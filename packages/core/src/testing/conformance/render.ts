import type { Verdict } from './case.js';
import type { CaseResult, ConformanceReport } from './report.js';

export interface TerminalOptions {
  /** Columns; 80 where it is left out. */
  readonly width?: number;
  /** Colours of a verdict. */
  readonly paint?: (verdict: Verdict, text: string) => string;
}

const INDENT = 14;

/** For a person: a line a case, and what was observed where it was not passed. */
export function terminalReport(
  report: ConformanceReport,
  { width = 80, paint = (_, text) => text }: TerminalOptions = {},
): string {
  const head = facts(report).map(([name, value]) => hang(name, value, width));
  const body = report.cases.flatMap((result) => terminalCase(result, width, paint));
  return [`${report.suite}: ${report.subject}`, ...head, '', ...body, '', tally(report), ''].join(
    '\n',
  );
}

function terminalCase(
  { name, verdict, summary, evidence, durationMs }: CaseResult,
  width: number,
  paint: NonNullable<TerminalOptions['paint']>,
): string[] {
  const time = seconds(durationMs);
  const gap = ' '.repeat(Math.max(1, width - INDENT - name.length - time.length));
  const shown = verdict === 'PASS' ? [] : [summary];
  const seen = verdict === 'FAIL' || verdict === 'ERROR' ? evidence.map((line) => `- ${line}`) : [];
  return [
    `${paint(verdict, verdict.padEnd(INDENT))}${name}${gap}${time}`,
    ...[...shown, ...seen].map((words) => hang('', words, width)),
  ];
}

export function jsonReport(report: ConformanceReport): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** For a document or an issue. */
export function markdownReport(report: ConformanceReport): string {
  const head = facts(report).map(([name, value]) => `- ${name}: ${cell(value)}`);
  const rows = report.cases.map(
    ({ name, verdict, summary, durationMs }) =>
      `| ${name} | ${verdict} | ${cell(summary)} | ${seconds(durationMs)} |`,
  );
  const seen = report.cases
    .filter(({ evidence }) => evidence.length > 0)
    .flatMap(({ name, evidence }) => [
      '',
      `### ${name}`,
      '',
      ...evidence.map((line) => `- ${cell(line)}`),
    ]);
  return [
    `# ${report.suite}: ${report.subject}`,
    '',
    ...head,
    '',
    '| case | verdict | summary | time |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    tally(report),
    ...(seen.length === 0 ? [] : ['', '## What was observed', ...seen]),
    '',
  ].join('\n');
}

function facts({ capabilities, platform, versions }: ConformanceReport): [string, string][] {
  const known = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const claimed = Object.entries(capabilities).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [
    ['capabilities', claimed.join(', ') || 'none'],
    ['platform', platform],
    ['versions', known.join(', ')],
  ];
}

/** Verdicts that nothing got are left out; those that are no PASS are named as what they are. */
function tally({ counts, cases }: ConformanceReport): string {
  const said = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`);
  return `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}: ${said.join(', ')}`;
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** Words beside a name, broken at spaces, or within a word that is wider than the line. */
function hang(name: string, words: string, width: number): string {
  const room = Math.max(10, width - INDENT);
  const lines: string[] = [];
  let line = '';
  for (const word of plain(words).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
    for (; line.length > room; line = line.slice(room)) lines.push(line.slice(0, room));
  }
  return [...lines, line]
    .map((part, index) => `${(index === 0 ? name : '').padEnd(INDENT)}${part}`)
    .join('\n');
}

function cell(words: string): string {
  return plain(words).replaceAll(/[|\\`<>*_[\]]/g, String.raw`\$&`);
}

/** One line without control characters: what a subject printed steers no terminal. */
function plain(words: string): string {
  return words.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
