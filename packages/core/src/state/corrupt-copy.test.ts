import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { keepingCorrupt } from './corrupt-copy.js';
import { readJournal } from './journal.js';

const copies = (file: string) =>
  readdirSync(path.dirname(file)).filter((name) => name.includes('.corrupt-'));

describe('a journal that cannot be read by whoever would write to it', () => {
  it('is kept beside itself, once for each content, and the copy is named', () => {
    const file = path.join(temporaryDirectory(), 'journal.jsonl');
    const read = () => keepingCorrupt(file, () => readJournal(file));
    const named = (copy: string) =>
      expect.objectContaining({
        code: 'JOURNAL_CORRUPT',
        message: expect.stringContaining(`line 1, is no JSON; a copy is kept in ${file}.${copy}`),
      });
    writeFileSync(file, 'first\n');
    expect(read).toThrow(named('corrupt-1'));
    expect(read).toThrow(named('corrupt-1'));
    expect(copies(file)).toEqual(['journal.jsonl.corrupt-1']);
    writeFileSync(file, 'second\n');
    expect(read).toThrow(named('corrupt-2'));
    expect(
      copies(file)
        .toSorted()
        .map((name) => readFileSync(path.join(file, '..', name), 'utf8')),
    ).toEqual(['first\n', 'second\n']);
  });

  it('of a newer format is left as it is', () => {
    const file = path.join(temporaryDirectory(), 'journal.jsonl');
    writeFileSync(file, '{"v":2,"seq":1,"type":"x"}\n');
    const read = () => keepingCorrupt(file, () => readJournal(file));
    expect(read).toThrow(expect.objectContaining({ code: 'JOURNAL_NEWER' }));
    expect(copies(file)).toEqual([]);
  });
});
