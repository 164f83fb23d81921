import { copyFileSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';

/**
 * Reads a journal for somebody who would write to it. One that cannot be read is kept first, whole and beside
 * itself, before a person mends it; once for each content.
 * @throws DevflowError JOURNAL_CORRUPT naming line and copy
 */
export function keepingCorrupt<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DevflowError) || error.code !== 'JOURNAL_CORRUPT') throw error;
    const { code, message, cause } = error;
    const hint = `Nothing was changed. Mend or remove that line in ${path.basename(file)} by hand, then \`devflow resume <run>\`.`;
    throw new DevflowError(
      code,
      `${message}; a copy is kept in ${effect('journal.open', () => keepCopy(file))}`,
      { hint, cause },
    );
  }
}

/** @returns the copy, which may have been there already */
function keepCopy(file: string): string {
  const prefix = `${path.basename(file)}.corrupt-`;
  const directory = path.dirname(file);
  const content = readFileSync(file);
  const copies = readdirSync(directory).filter((name) => name.startsWith(prefix));
  const same = copies.find((name) => readFileSync(path.join(directory, name)).equals(content));
  if (same !== undefined) return path.join(directory, same);
  const numbers = copies.map((name) => Number(name.slice(prefix.length)) || 0);
  const copy = path.join(directory, `${prefix}${Math.max(0, ...numbers) + 1}`);
  copyFileSync(file, copy);
  return copy;
}
