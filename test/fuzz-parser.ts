/** What every adapter's parser must withstand: captured lines, altered in all the ways that a stream can go wrong. */
import { type AgentAdapter, type AgentEvent, type AgentResult, cut } from '@devflow/core/adapter';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type Edit, applyEdit, edit, nested, trickyText } from './broken-lines.ts';
import { expectEvent, expectResult } from './event-contract.ts';

/**
 * Defines the tests; to be called in a test file.
 * @param captures the stdout of the agent's program, whole; at least one of a finished turn
 */
export function fuzzParser(adapter: AgentAdapter, captures: readonly string[]): void {
  const streams = captures
    .map((capture) => capture.split('\n').filter((line) => line !== ''))
    .filter((stream) => stream.length > 0);
  const lines = [...new Set(streams.flat())];
  const shapes = [...new Map(lines.map((known) => [shapeOf(known), known])).values()];
  const stream = fc.constantFrom(...streams);
  const line = fc.constantFrom(...lines);

  describe(`the parser of ${adapter.name}`, () => {
    test('reads its captures, one of them as a finished turn', () => {
      expect(streams.map((given) => read(adapter, given).result.turn)).toContain('finished');
    });

    test('withstands entries whose keys, values and types are not what they were', () => {
      const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
      fc.assert(
        fc.property(stream, fc.array(fc.tuple(fc.nat(), edits), { maxLength: 6 }), (given, all) => {
          const altered = [...given];
          for (const [at, changes] of all) alter(altered, at, changes);
          read(adapter, altered);
        }),
        { numRuns: 300 },
      );
      expect(Object.keys(Object.prototype)).toEqual([]);
    });

    test('withstands lines that are cut, doubled, in another order, or no entries', () => {
      const torn = fc.tuple(line, fc.nat()).map(([whole, at]) => whole.slice(0, at % whole.length));
      const any = fc.oneof(line, torn, trickyText, fc.json(), fc.string({ unit: 'binary' }));
      fc.assert(
        fc.property(fc.array(any, { maxLength: 40 }), (given) => void read(adapter, given)),
        { numRuns: 150 },
      );
    });

    test('withstands values that are nested ten thousand levels deep', () => {
      for (const value of nested(10_000)) {
        for (const entry of sample(lines, 5)) read(adapter, deepen(entry, value));
        read(adapter, [value]);
      }
    });

    test('withstands words that every object answers to, and numbers out of range', () => {
      const values = ['"__proto__"', '"constructor"', '"toString"', '1e999', '-1', '8640000000001'];
      for (const value of values) {
        for (const entry of shapes) read(adapter, deepen(entry, value, 60));
      }
    });

    test('takes time in proportion to the length of a line', () => {
      const words = 'a \n'.repeat(200_000);
      for (const entry of sample(lines, 3)) {
        expect(cpuMs(() => read(adapter, deepen(entry, JSON.stringify(words))))).toBeLessThan(9000);
      }
      for (const long of [words.replaceAll('\n', ' '), '{'.repeat(1e6), `{"type":"${words}`]) {
        expect(cpuMs(() => read(adapter, [long]))).toBeLessThan(9000);
      }
    });

    test('takes time in proportion to the number of lines', () => {
      const many = Array.from({ length: 8000 }, (_, index) => lines[index % lines.length] ?? '');
      const few = many.slice(0, 500);
      read(adapter, few); // warm
      const ofFew = Math.max(
        cpuMs(() => read(adapter, few)),
        5,
      );
      // Sixteen times as much; the square of that would be 256 times.
      expect(cpuMs(() => read(adapter, many))).toBeLessThan(ofFew * 100);
    });

    test('keeps an event that it does not know, as it is', () => {
      fc.assert(
        fc.property(line, fc.array(edit, { maxLength: 2 }), (known, edits) => {
          const entry = asEntry(edits.reduce((value, one) => applyEdit(value, one), parsed(known)));
          const unknown = JSON.stringify({ ...entry, type: 'vendor.not-known-yet' });
          const { events } = read(adapter, [unknown]);
          expect(events.map(({ kind, detail }) => ({ kind, detail }))).toEqual([
            { kind: 'other', detail: cut(unknown, 900) },
          ]);
        }),
        { numRuns: 100 },
      );
    });

    test('calls no turn finished that lacks its terminal event', () => {
      for (const given of streams) {
        const unended = withoutEnd(adapter, given);
        expectUnfinished(adapter, unended);
        for (let length = 0; length < unended.length; length += 1) {
          expectUnfinished(adapter, unended.slice(0, length));
        }
      }
    });

    test('calls no turn finished whose terminal event is torn', () => {
      const ended = streams.filter((given) => withoutEnd(adapter, given).length < given.length);
      fc.assert(
        fc.property(fc.constantFrom(...ended), fc.nat(), (given, at) => {
          const end = given.findIndex((_, index) => isEnd(adapter, given, index));
          const last = given[end] ?? '';
          expectUnfinished(adapter, [...given.slice(0, end), last.slice(0, at % last.length)]);
        }),
        { numRuns: 100 },
      );
    });

    test('calls no altered turn finished that lacks its terminal event', () => {
      fc.assert(
        fc.property(stream, fc.nat(), fc.array(edit, { maxLength: 3 }), (given, at, edits) => {
          const altered = [...given];
          alter(altered, at, edits);
          expectUnfinished(adapter, withoutEnd(adapter, altered));
        }),
        { numRuns: 100 },
      );
    });
  });
}

interface Reading {
  readonly events: readonly AgentEvent[];
  readonly result: AgentResult;
}

/** Reads lines as a run would, and expects the contract of all that comes of it. */
function read(adapter: AgentAdapter, lines: readonly string[]): Reading {
  const parser = newParser(adapter);
  const events = lines.flatMap((line) => parser.line(line));
  for (const event of events) expectEvent(event);
  const open = parser.openCalls();
  expect(Number.isSafeInteger(open) && open >= 0).toBe(true);
  const result = parser.result();
  expectResult(result);
  expect(typeof adapter.completionSignalDetected(lines.join('\n'))).toBe('boolean');
  return { events, result };
}

function newParser(adapter: AgentAdapter) {
  const now = () => new Date('2027-03-10T12:00:00Z');
  const parser = adapter.createParser?.({ now, timeZone: 'Europe/Berlin' });
  if (parser === undefined) throw new Error(`${adapter.name} has no parser`);
  return parser;
}

function expectUnfinished(adapter: AgentAdapter, lines: readonly string[]): void {
  expect(read(adapter, lines).result.turn).not.toBe('finished');
  expect(adapter.completionSignalDetected(lines.join('\n'))).toBe(false);
}

/** The stream without the lines that the parser itself shows as an end of the turn. */
function withoutEnd(adapter: AgentAdapter, lines: readonly string[]): string[] {
  return lines.filter((_, index) => !isEnd(adapter, lines, index));
}

function isEnd(adapter: AgentAdapter, lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  return newParser(adapter)
    .line(line)
    .some(({ kind }) => kind === 'end');
}

/** Applies edits to one line, in place. */
function alter(lines: string[], at: number, edits: readonly Edit[]): void {
  const index = at % lines.length;
  const value = edits.reduce((changed, one) => applyEdit(changed, one), parsed(lines[index] ?? ''));
  lines[index] = JSON.stringify(value);
}

const SCALAR = String.raw`(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)(?=[,}])`;

/** What is left of an entry without its values: of many that are alike, one is enough. */
function shapeOf(line: string): string {
  return line.replaceAll(new RegExp(`(?<="):${SCALAR}`, 'g'), '');
}

/** The entry with each of so many strings and numbers in turn replaced by a piece of JSON. */
function deepen(line: string, json: string, most = 24): string[] {
  const places = [...line.matchAll(new RegExp(`(?<="):${SCALAR}`, 'g'))].slice(0, most);
  return places.map(({ index, 0: found }) => {
    return `${line.slice(0, index + 1)}${json}${line.slice(index + found.length)}`;
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function asEntry(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value };
}

/** So many of them, spread over all. */
function sample(lines: readonly string[], size: number): string[] {
  const step = Math.max(1, Math.floor(lines.length / size));
  return lines.filter((_, index) => index % step === 0).slice(0, size);
}

/** Time that this process worked, which others on the machine do not prolong. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
