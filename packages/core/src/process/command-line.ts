/** A command as it could be typed into a shell. */
export function commandLine(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[\w./@:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(' ');
}
