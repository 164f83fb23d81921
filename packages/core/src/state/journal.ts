import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { DevflowError } from '../errors.js';
import { effect } from '../process/effect.js';
import { openRegular } from '../process/own-file.js';
import { readBytesIfThere, syncDirectory } from './files.js';
import { whyNoRecord } from './record-schema.js';
import { JOURNAL_VERSION, type JournalRecord, type RecordBody } from './records.js';

const { O_APPEND, O_CREAT, O_RDWR } = constants;

export interface JournalContents {
  readonly records: readonly JournalRecord[];
  /** Bytes of a last line that was not written whole, dropped; 0 normally. */
  readonly tornBytes: number;
}

/**
 * Reads a journal. A torn last line is dropped and counted; anything else that cannot be read is an error.
 * Every record is checked, by hand: whoever only shows a run must not load a schema for it.
 * @throws DevflowError JOURNAL_CORRUPT, JOURNAL_NEWER, RUN_NOT_FOUND
 */
export function readJournal(file: string): JournalContents {
  const bytes = readBytesIfThere(file);
  if (bytes === undefined)
    throw new DevflowError('RUN_NOT_FOUND', `there is no journal at ${file}`);
  // In bytes: a line can be torn within a character, which as text has another length.
  const end = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
  return {
    records: lines.map((line, index) => parseRecord(line, index + 1, file)),
    tornBytes: bytes.length - end,
  };
}

/** The same; a devflow that died between its first two steps left no journal, and its run is at its beginning. */
export function readJournalIfThere(file: string): JournalContents {
  if (existsSync(file)) return readJournal(file);
  const attempts = readdirSync(path.dirname(file)).filter((name) => /^\d+-/.test(name));
  if (attempts.length > 0)
    throw new DevflowError('STATE_GONE', `the journal ${file} was removed: the run had begun`);
  return { records: [], tornBytes: 0 };
}

function parseRecord(line: string, number: number, file: string): JournalRecord {
  let record: Partial<JournalRecord>;
  try {
    record = JSON.parse(line) as Partial<JournalRecord>;
  } catch (cause) {
    throw corrupt(file, number, 'is no JSON', cause);
  }
  if (typeof record?.v === 'number' && record.v > JOURNAL_VERSION) {
    throw new DevflowError(
      'JOURNAL_NEWER',
      `${file}, line ${number}, has format ${String(record.v)}; this devflow knows ${JOURNAL_VERSION}`,
    );
  }
  if (record?.v !== JOURNAL_VERSION || typeof record.type !== 'string')
    throw corrupt(file, number, 'is no record');
  if (record.seq !== number) throw corrupt(file, number, `has number ${String(record.seq)}`);
  const wrong = whyNoRecord(record as JournalRecord);
  if (wrong !== undefined) throw corrupt(file, number, wrong);
  return record as JournalRecord;
}

function corrupt(file: string, line: number, what: string, cause?: unknown): DevflowError {
  return new DevflowError('JOURNAL_CORRUPT', `${file}, line ${line}, ${what}`, { cause });
}

export interface Journal {
  /**
   * Writes a record and returns when the disk has it.
   * @throws Error, before anything is written, where it could not be read again: the run would be lost with it
   */
  append(body: RecordBody): JournalRecord;
  /** @throws DevflowError STATE_GONE where what is written would be in no file any more */
  assertInPlace(): void;
  close(): void;
}

/**
 * Opens a journal for its one writer.
 * @param contents what was read from it; a torn tail is cut off after the whole file was saved beside it
 * @param assertHeld throws where the run's lock is no longer ours
 */
export function openJournal(
  file: string,
  contents: JournalContents,
  assertHeld: () => void,
): Journal {
  const descriptor = effect('journal.open', () => openWhole(file, contents.tornBytes));
  let seq = contents.records.length;
  const assertInPlace = () => {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.ino !== fstatSync(descriptor).ino)
      throw new DevflowError('STATE_GONE', `${file} was removed while the run was under way`);
  };
  return {
    assertInPlace,
    append(body) {
      assertInPlace(); // before the lock: that is gone too where the whole directory is
      assertHeld();
      const at = new Date().toISOString();
      const record = { v: JOURNAL_VERSION, seq: seq + 1, at, ...body } as const;
      const line = JSON.stringify(record);
      assertReadable(line);
      effect(`journal ${body.type}`, () => appendWhole(descriptor, `${line}\n`));
      seq += 1;
      return record;
    },
    close: () => closeSync(descriptor),
  };
}

/** Held against what will be read, not what was meant: as JSON some values become others, or nothing. */
function assertReadable(line: string): void {
  const record = JSON.parse(line) as JournalRecord;
  const wrong = whyNoRecord(record);
  if (wrong !== undefined)
    throw new Error(`a record "${record.type}" was not written to the journal: it ${wrong}`);
}

function openWhole(file: string, tornBytes: number): number {
  const isNew = !existsSync(file);
  const descriptor = openRegular(file, O_RDWR | O_APPEND | O_CREAT);
  if (isNew) syncDirectory(path.dirname(file));
  if (tornBytes > 0) {
    copyFileSync(file, `${file}.torn-${Date.now()}`);
    ftruncateSync(descriptor, fstatSync(descriptor).size - tornBytes);
  }
  return descriptor;
}

function appendWhole(descriptor: number, line: string): void {
  const bytes = Buffer.from(line);
  const before = fstatSync(descriptor).size;
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } catch (error) {
    ftruncateSync(descriptor, before); // a full disk leaves no half of a record
    throw error;
  }
}
