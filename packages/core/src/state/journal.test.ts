import { execFile, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entered, intended, started } from '../../test/journal-of.js';
import { sourceProgram } from '../../test/source-program.js';
import { temporaryDirectory } from '../../test/temporary.js';
import { DevflowError } from '../errors.js';
import { type JournalContents, openJournal, readJournal } from './journal.js';
import type { RecordBody } from './records.js';

const EMPTY: JournalContents = { records: [], tornBytes: 0 };

function journalWith(...bodies: RecordBody[]): string {
  const file = path.join(temporaryDirectory(), 'journal.jsonl');
  const journal = openJournal(file, EMPTY, () => undefined);
  for (const body of bodies) journal.append(body);
  journal.close();
  return file;
}

const error = (code: string, words: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(words) });
const torn = (file: string) =>
  readdirSync(path.dirname(file)).filter((name) => name.includes('.torn-'));

describe('a journal', () => {
  it('gives back what was appended, numbered and dated', () => {
    const file = journalWith(started, entered(1));
    expect(readJournal(file)).toEqual({
      records: [
        { v: 1, seq: 1, at: expect.stringMatching(/^\d{4}-.*Z$/), ...started },
        { v: 1, seq: 2, at: expect.stringMatching(/^\d{4}-.*Z$/), ...entered(1) },
      ],
      tornBytes: 0,
    });
  });

  it('counts on where it is opened again', () => {
    const file = journalWith(started, entered(1));
    const journal = openJournal(file, readJournal(file), () => undefined);
    const appended = [journal.append(intended(1)), journal.append(intended(1, 2))];
    journal.close();
    expect(appended.map(({ seq }) => seq)).toEqual([3, 4]);
    expect(readJournal(file).records).toHaveLength(4);
  });

  it('that is not there is no run', () => {
    const file = path.join(temporaryDirectory(), 'journal.jsonl');
    expect(() => readJournal(file)).toThrow(error('RUN_NOT_FOUND', /no journal/));
  });

  it('that is empty has no records', () => {
    const file = path.join(temporaryDirectory(), 'journal.jsonl');
    writeFileSync(file, '');
    expect(readJournal(file)).toEqual(EMPTY);
  });

  it('drops a torn last line, keeps a copy of the whole file beside it, and goes on behind the last whole one', () => {
    const file = journalWith(started, entered(1));
    appendFileSync(file, '{"v":1,"seq":3,"at":"20');
    const whole = readFileSync(file);
    const contents = readJournal(file);
    expect(contents.records).toHaveLength(2);
    expect(contents.tornBytes).toBe(23);
    expect(readFileSync(file)).toEqual(whole); // reading changes nothing
    const journal = openJournal(file, contents, () => undefined);
    const copies = torn(file);
    expect(copies).toHaveLength(1);
    expect(readFileSync(path.join(path.dirname(file), copies[0] ?? ''))).toEqual(whole);
    journal.append(intended(1));
    journal.close();
    expect(readJournal(file)).toMatchObject({
      records: [{}, {}, { seq: 3, type: 'attempt-intended' }],
      tornBytes: 0,
    });
  });

  it('torn at any byte, also within a character, loses the last line only', () => {
    const bodies = [
      started,
      entered(1, { because: 'Größe → 𝒙 "quoted"\n' }),
      entered(2, { because: 'ü€😀' }),
    ];
    const file = journalWith(...bodies);
    const bytes = readFileSync(file);
    const ends = [...bytes.entries()].flatMap(([index, byte]) =>
      byte === 0x0a ? [index + 1] : [],
    );
    fc.assert(
      fc.property(fc.nat(bytes.length), (length) => {
        writeFileSync(file, bytes);
        truncateSync(file, length);
        const contents = readJournal(file);
        const whole = ends.filter((end) => end <= length);
        expect(contents.records).toHaveLength(whole.length);
        expect(contents.tornBytes).toBe(length - (whole.at(-1) ?? 0));
        openJournal(file, contents, () => undefined).close();
        expect(readFileSync(file)).toEqual(bytes.subarray(0, whole.at(-1) ?? 0));
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['that is no JSON', '{"v":1,', /line 2, is no JSON/],
    ['that is empty', '', /line 2, is no JSON/],
    ['that is no object', 'null', /line 2, is no record/],
    ['that has no version', '{"seq":2,"type":"run-started"}', /line 2, is no record/],
    ['that has no type', '{"v":1,"seq":2}', /line 2, is no record/],
    ['whose number leaves one out', '{"v":1,"seq":3,"type":"run-started"}', /line 2, has number 3/],
    [
      'whose number is there already',
      '{"v":1,"seq":1,"type":"run-started"}',
      /line 2, has number 1/,
    ],
    ['without a number', '{"v":1,"type":"run-started"}', /line 2, has number undefined/],
  ])('with a line %s is corrupt, names the line, and is left as it is', (_, line, words) => {
    const file = journalWith(started);
    appendFileSync(file, `${line}\n{"v":1,"seq":3,"type":"run-resumed"}\n`);
    const before = readFileSync(file);
    expect(() => readJournal(file)).toThrow(error('JOURNAL_CORRUPT', words));
    expect(readFileSync(file)).toEqual(before);
  });

  it('of a later format is refused', () => {
    const file = journalWith(started);
    appendFileSync(file, '{"v":2,"seq":2,"kind":"unheard-of"}\n');
    expect(() => readJournal(file)).toThrow(
      error('JOURNAL_NEWER', /line 2, has format 2; this devflow knows 1/),
    );
  });

  it('refuses to append where the lock is lost, and writes nothing', () => {
    const file = journalWith(started);
    let held = true;
    const journal = openJournal(file, readJournal(file), () => {
      if (!held) throw new DevflowError('LOCK_LOST', 'it is gone');
    });
    journal.append(entered(1));
    const size = statSync(file).size;
    held = false;
    expect(() => journal.append(intended(1))).toThrow(error('LOCK_LOST', /gone/));
    journal.close();
    expect(statSync(file).size).toBe(size);
  });

  it('takes no record that could not be read again, and goes on as if it had not been asked', () => {
    const file = journalWith(started);
    const journal = openJournal(file, readJournal(file), () => undefined);
    const before = readFileSync(file);
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const other = Object.assign(['a'], { toJSON: () => 1 });
    const notes: unknown[] = [undefined, [1], [NaN], [1n], cycle, [undefined], other];
    for (const each of notes)
      expect(() =>
        journal.append({ type: 'preflight', phase: 1, problems: [], notes: each as string[] }),
      ).toThrow(/was not written to the journal|BigInt|circular/);
    const problems = [{ code: 'A' } as never];
    expect(() => journal.append({ type: 'preflight', phase: 1, problems, notes: [] })).toThrow(
      'a record "preflight" was not written to the journal: it has no valid "problems.0.message"',
    );
    expect(readFileSync(file)).toEqual(before);
    expect(journal.append(entered(1)).seq).toBe(2);
    journal.close();
    expect(readJournal(file).records).toHaveLength(2);
  });

  it('has lines of any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (texts) => {
        const file = journalWith(...texts.map((because) => entered(1, { because })));
        expect(
          readJournal(file).records.map((record) => 'because' in record && record.because),
        ).toEqual(texts);
      }),
      { numRuns: 30 },
    );
  });
});

describe('on a disk that is full', () => {
  const canMount =
    spawnSync('unshare', [
      '--user',
      '--map-root-user',
      '--mount',
      'mount',
      '-t',
      'tmpfs',
      'none',
      '/mnt',
    ]).status === 0;
  const program = sourceProgram(`
      import { readFileSync, readdirSync, writeFileSync, unlinkSync } from 'node:fs';
      import { writeDurably } from 'devflow:state/files';
      import { openJournal, readJournal } from 'devflow:state/journal';
      import { tryLock } from 'devflow:state/lock';
      const attempt = (action) => { try { action(); return 'done'; } catch (error) { return error.code; } };
      process.chdir(process.argv[2]);
      const journal = openJournal('journal', { records: [], tornBytes: 0 }, () => undefined);
      journal.append({ type: 'run-ended', state: 'failed', reason: 'first' });
      const before = readFileSync('journal');
      const free = () => attempt(() => writeFileSync('filler', Buffer.alloc(1e6)));
      const filled = free();
      const big = 'x'.repeat(20000);
      const full = attempt(() => journal.append({ type: 'run-ended', state: 'failed', reason: big }));
      const untouched = readFileSync('journal').equals(before);
      const durable = attempt(() => writeDurably('file', big));
      const lock = attempt(() => tryLock('lock'));
      const names = readdirSync('.').sort();
      unlinkSync('filler');
      const later = attempt(() => journal.append({ type: 'run-ended', state: 'failed', reason: 'second' }));
      const numbers = readJournal('journal').records.map(({ seq }) => seq);
      console.log(JSON.stringify({ filled, full, untouched, durable, lock, names, later, numbers }));
    `);

  it.skipIf(!canMount)(
    'an append leaves no half of a record, a file is written whole or not at all, a lock leaves nothing, and they work again later',
    async () => {
      const directory = temporaryDirectory();
      const script = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" "$3" "$1"';
      const inside = ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script, 'sh'];
      const args = [...inside, directory, process.execPath, program()];
      const { stdout } = await promisify(execFile)('unshare', args);
      expect(JSON.parse(stdout)).toEqual({
        filled: 'ENOSPC',
        full: 'ENOSPC',
        untouched: true,
        durable: 'ENOSPC',
        lock: 'ENOSPC',
        names: ['filler', 'journal'],
        later: 'done',
        numbers: [1, 2],
      });
      expect(existsSync(path.join(directory, 'journal'))).toBe(false); // it was in a mount of its own
    },
  );
});
