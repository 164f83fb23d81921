const WIDTH = 80;

/**
 * @typedef {object} CaseResult
 * @property {string} id
 * @property {string} title
 * @property {import('./figure.js').Figure[]} figures
 * @property {string} [error] why the case ended early
 */

/** @param {CaseResult} result */
export function tableOf({ title, figures, error }) {
  const head = `${title.padEnd(58)} ${'measured'.padStart(10)} ${'target'.padStart(10)}`;
  const lines = [head, '-'.repeat(WIDTH), ...figures.flatMap(linesOf)];
  if (error !== undefined) lines.push(...wrap(`ended early: ${error}`, '  '));
  return `${lines.join('\n')}\n`;
}

/** @param {import('./figure.js').Figure} figure */
function linesOf({ name, value, unit, target, reached, detail, skipped }) {
  const measured = value === undefined ? 'skipped' : quantity(value, unit);
  const wanted = target === undefined ? '' : targetText(target);
  const verdict = reached === false ? '  ← not reached' : '';
  return [
    `${name.slice(0, 58).padEnd(58)} ${measured.padStart(10)} ${wanted.padStart(10)}`,
    ...wrap(`${skipped ?? detail ?? ''}${verdict}`, '  '),
  ];
}

/** @param {{ atMost: number } | { atLeast: number }} target */
function targetText(target) {
  return 'atMost' in target ? `<= ${target.atMost}` : `>= ${target.atLeast}`;
}

/**
 * @param {number} value
 * @param {string} unit
 */
function quantity(value, unit) {
  const digits = unit === 'x' ? 2 : unit === 'MB' || (unit === 'ms' && value < 100) ? 1 : 0;
  return `${value.toFixed(digits)}${unit === '' || unit === 'x' ? unit : ` ${unit}`}`;
}

/**
 * @param {string} text
 * @param {string} indent
 */
function wrap(text, indent) {
  /** @type {string[]} */
  const lines = [];
  let line = indent;
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return line.trim() === '' ? lines : [...lines, line];
}
