/**
 * Takes all sides once a round, in turns: A B, B A, A B … One round before the first is not counted.
 * @template {string} Side
 * @param {Readonly<Record<Side, (round: number) => Promise<number>>>} sides each gives what it measured
 * @param {number} rounds
 * @returns {Promise<Record<Side, number[]>>} by side, the measurements in the order of the rounds
 */
export async function interleave(sides, rounds) {
  const names = /** @type {Side[]} */ (Object.keys(sides));
  const taken = /** @type {Record<Side, number[]>} */ ({});
  for (const name of names) taken[name] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const order = names.map((_, index) => names[(index + round) % names.length]);
    for (const name of order) {
      if (name === undefined) continue;
      const measured = await sides[name](round);
      if (round > 0) taken[name].push(measured);
    }
  }
  return taken;
}
