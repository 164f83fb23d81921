/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * @param {readonly number[]} values at least one
 * @param {number} share between 0 and 1
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
}

/**
 * Each round's own ratio: what slows the machine down for a while slows down both sides.
 * @param {readonly number[]} ours
 * @param {readonly number[]} theirs of the same rounds
 */
export function ratios(ours, theirs) {
  return ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
}
