import { readFileSync } from 'node:fs';

/** A file that a configuration names. What is wrong with it is added to the problems; the text is empty then. */
export function readTextFile(file: string, where: string, problems: string[]): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.trim() === '') problems.push(`${where}: ${file} is empty`);
    return text;
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    problems.push(`${where}: ${file} ${why}`);
    return '';
  }
}
