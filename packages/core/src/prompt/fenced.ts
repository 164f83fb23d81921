/** Between fences that are longer than any within. */
export function fenced(text: string): string {
  const ticks = [...text.matchAll(/`+/g)].map(([found]) => found.length + 1);
  const fence = '`'.repeat(Math.max(3, ...ticks));
  return `${fence}\n${text}\n${fence}`;
}
