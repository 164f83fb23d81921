/** Colours and widths for people. */
export interface Style {
  readonly plain: Paint;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

type Paint = (text: string) => string;

export function createStyle(colors: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    colors ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    plain: (text) => text,
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}

/** Colours and cursor moves, titles, and all single control characters. */
const ESCAPES = new RegExp(
  [
    String.raw`\x1b\[[0-9;?]*[ -/]*[@-~]`,
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`,
    String.raw`[\x00-\x1f\x7f-\x9f]+`,
  ].join('|'),
  'g',
);

/**
 * What has no width and is not seen: it turns the direction of what stands around it, or hides in it. Words and emoji
 * need some, which stay: the joiners (U+200C, U+200D) and the two choices of how an emoji looks.
 */
const UNSEEN = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const LINE_ENDS = /[\u2028\u2029]/g;

/** For printing only: what an agent says must not steer the terminal, nor look like something else. */
function harmless(text: string, instead: string): string {
  return text.replace(ESCAPES, instead).replace(UNSEEN, '').replace(LINE_ENDS, ' ');
}

/** One line without what steers a terminal, or is not seen. */
export function oneLine(text: string): string {
  return harmless(text, ' ').replace(/\s+/g, ' ').trim();
}

/** No text is printed longer than that, wherever it goes; the JSON and the files have it whole. */
const SHOWN_COLUMNS = 2_000;
const SHOWN_LINES = 100;

/** Cut to a number of columns, at most 2,000. */
export function fit(text: string, most: number): string {
  const columns = Math.min(most, SHOWN_COLUMNS);
  let used = 0;
  let kept = '';
  for (const character of text) {
    const width = WIDE.test(character) ? 2 : 1;
    // One column is kept for the mark, unless this is the last character.
    if (used + width > columns - 1 && used + width + restWidth(text, kept, character) > columns)
      return `${kept.trimEnd()}…`;
    used += width;
    kept += character;
  }
  return kept;
}

/** Scripts and symbols that take two columns. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u;

/** Whether anything follows: 0 or 1 is all that matters at the edge. */
function restWidth(text: string, kept: string, character: string): number {
  return text.length > kept.length + character.length ? 1 : 0;
}

/** Where there is no terminal, as in the log of a CI job, text is folded here. */
const FOLD_COLUMNS = 100;

export function foldColumns(columns: number): number {
  return columns === Infinity ? FOLD_COLUMNS : columns;
}

/** A word, or a command between backticks with all that belongs to it. */
const WORDS = /(?:`[^`]+`|\S)+/g;

/** Broken into lines of a width at spaces, at most 2,000 columns in all; a command, and what is longer than a line, stays whole, so that it can be copied. */
export function wrap(text: string, columns: number, indent = ''): string {
  const room = foldColumns(columns) - indent.length;
  const lines: string[] = [];
  let line = '';
  for (const word of fit(oneLine(text), SHOWN_COLUMNS).match(WORDS) ?? []) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}

/** A printed line without what steers a terminal, or is not seen; its indentation stays. */
export function printedLine(text: string): string {
  return harmless(text.replaceAll('\t', '  '), '').trimEnd();
}

/** Several lines, at most 100, each as it is where it fits and else wrapped. */
export function block(text: string, columns: number, indent = ''): string {
  const lines = text.trim().split('\n').map(printedLine);
  const room = foldColumns(columns) - indent.length;
  const more = lines.length - SHOWN_LINES;
  return [
    ...lines
      .slice(0, SHOWN_LINES)
      .map((line) => (line.length <= room ? line : wrap(line, columns, indent))),
    ...(more > 0 ? [`and ${plural(more, 'more line')}`] : []),
  ].join(`\n${indent}`);
}

/** Help that is laid out for a wider screen: only what is too wide is wrapped, each column in itself. */
export function reflow(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns ? line : reflowLine(line, columns)))
    .join('\n');
}

function reflowLine(line: string, columns: number): string {
  const [, left = '', rest = ''] = /^( *\S.*? {2,})(\S.*)$/.exec(line) ?? [];
  if (left !== '' && left.length <= columns / 2)
    return `${left}${wrap(rest, columns, ' '.repeat(left.length))}`;
  if (left !== '') return `${left.trimEnd()}\n      ${wrap(rest, columns, '      ')}`;
  const lead = /^ */.exec(line)?.[0] ?? '';
  return `${lead}${wrap(line, columns, line.trimStart().startsWith('$') ? `${lead}    ` : lead)}`;
}

export function plural(count: number, word: string, several = `${word}s`): string {
  return `${count} ${count === 1 ? word : several}`;
}
