import { median, quantile, ratios } from './statistics.js';

/**
 * @typedef {object} Figure
 * @property {string} name what was measured, in a few words
 * @property {number} [value] nothing where it could not be measured
 * @property {'x' | 'ms' | 'MB' | 'MB/s' | ''} unit
 * @property {{ atMost: number } | { atLeast: number }} [target] nothing: for comparison only
 * @property {boolean} [reached]
 * @property {string} [detail] what the value was made from
 * @property {string} [skipped] why it could not be measured
 */

/**
 * @param {Omit<Figure, 'reached'>} figure
 * @returns {Figure}
 */
export function figure(figure) {
  const { value, target } = figure;
  if (value === undefined || target === undefined) return figure;
  const reached = 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
  return { ...figure, reached };
}

/**
 * @param {string} name
 * @param {string} why
 * @returns {Figure}
 */
export function skipped(name, why) {
  return { name, unit: '', skipped: why };
}

/**
 * How many times as long as the other side it took: the median of the rounds' ratios.
 * @param {string} name
 * @param {Readonly<Record<string, readonly number[]>>} sides milliseconds: ours first, then what it is held against
 * @param {number} [atMost]
 */
export function ratioFigure(name, sides, atMost) {
  const [[ourName, ours], [theirName, theirs]] = /** @type {[string, number[]][]} */ (
    Object.entries(sides)
  );
  const each = ratios(ours, theirs);
  const half = [quantile(each, 0.25), quantile(each, 0.75)].map((value) => value.toFixed(2));
  return figure({
    name,
    value: median(each),
    unit: 'x',
    ...(atMost !== undefined && { target: { atMost } }),
    detail: `${ourName} ${ms(ours)}, ${theirName} ${ms(theirs)}; half of ${each.length} in ${half.join('–')}`,
  });
}

/** @param {readonly number[]} values */
export function ms(values) {
  const value = median(values);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
