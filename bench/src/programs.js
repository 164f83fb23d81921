import path from 'node:path';

/** @param {string} name a file in programs/ */
export function programFile(name) {
  return path.join(import.meta.dirname, '../programs', name);
}
