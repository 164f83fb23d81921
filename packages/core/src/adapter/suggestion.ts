import leven from 'leven';

/** The known word that is most like the given one, where one is like it at all. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: leven(word, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, word.length / 3)
    ? best.candidate
    : undefined;
}

/** ` did you mean "x"?`, or the words that are known. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `did you mean "${near}"?`;
  return known.length === 0 ? 'none are known here' : `known: ${[...new Set(known)].join(', ')}`;
}
