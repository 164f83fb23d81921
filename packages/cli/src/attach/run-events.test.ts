import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '@devflow/core';
import { openKeptEvents } from './run-events.js';

const at = { v: 1, at: '2030-01-01T00:00:00.000Z', run: 'it' } as const;

describe('the events of a run that another devflow holds', () => {
  let directory: string;
  let run: string;
  beforeEach(() => {
    directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
    run = path.join(directory, 'events.jsonl');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const keep = (...events: object[]) =>
    events.forEach((event) => appendFileSync(run, `${JSON.stringify(event)}\n`));
  const note = (text: string) => ({ ...at, type: 'note', text });
  const resumed = { ...at, type: 'run-resumed' };
  const attemptOf = (phase: number) => path.join(directory, String(phase));
  const started = (phase: number) => {
    mkdirSync(attemptOf(phase), { recursive: true });
    const name = { phase, attempt: 1 };
    return { ...at, type: 'attempt-started', ...name, agent: 'a', directory: attemptOf(phase), adopted: false }; // prettier-ignore
  };
  const ended = (phase: number) => ({ ...at, type: 'attempt-ended', phase, attempt: 1 });
  const says = (phase: number, ...words: string[]) =>
    words.forEach((summary) =>
      appendFileSync(
        path.join(attemptOf(phase), 'events.jsonl'),
        `${JSON.stringify({ at: '2030-01-01T00:00:01.000Z', kind: 'text', summary })}\n`,
      ),
    );
  /** Notes and what agents say as their words, all else as its type. */
  const told = (read: (show: (event: RunEvent) => void) => unknown) => {
    const words: string[] = [];
    read((event) =>
      words.push(
        event.type === 'note'
          ? event.text
          : event.type === 'agent'
            ? event.event.summary
            : event.type,
      ),
    );
    return words;
  };

  test('are replayed from when it was started or resumed last', () => {
    keep({ ...at, type: 'run-started' }, note('old'), resumed, note('new'));
    expect(told(openKeptEvents(directory).replay)).toEqual(['run-resumed', 'new']);
  });

  test('say nothing of what agents did in attempts that are over, and the end of what one does now', () => {
    keep(resumed, started(1));
    says(1, 'over');
    keep(ended(1), started(2));
    says(2, ...Array.from({ length: 30 }, (_, index) => `word ${index}`));
    expect(told(openKeptEvents(directory).replay)).toEqual([
      'run-resumed',
      'attempt-started',
      'attempt-ended',
      'attempt-started',
      ...Array.from({ length: 20 }, (_, index) => `word ${index + 10}`),
    ]);
  });

  test('then come as they are kept, each once, what an agent did before the end of its attempt', () => {
    keep(resumed, started(1));
    says(1, 'before');
    const events = openKeptEvents(directory);
    expect(told(events.replay)).toEqual(['run-resumed', 'attempt-started', 'before']);
    expect(told(events.read)).toEqual([]);
    says(1, 'one', 'two');
    keep(ended(1), note('between'), started(2));
    says(2, 'three');
    expect(told(events.read)).toEqual([
      'one',
      'two',
      'attempt-ended',
      'between',
      'attempt-started',
      'three',
    ]);
    expect(told(events.read)).toEqual([]);
  });

  test('name the attempt that an agent works at', () => {
    keep(resumed, started(2));
    says(2, 'a word');
    const shown: RunEvent[] = [];
    openKeptEvents(directory).replay((event) => shown.push(event));
    expect(shown.at(-1)).toMatchObject({
      v: 1,
      type: 'agent',
      run: 'it',
      phase: 2,
      attempt: 1,
      at: '2030-01-01T00:00:01.000Z',
      event: { kind: 'text', summary: 'a word' },
    });
  });

  test('may have been torn by a holder that died, or not be there', () => {
    const events = openKeptEvents(directory);
    expect(told(events.replay)).toEqual([]);
    writeFileSync(run, `null\n{"v":1,"type":"agent"}\n${JSON.stringify(note('one'))}\n{"v":1,"ty`);
    expect(told(events.read)).toEqual(['one']);
    appendFileSync(run, `\n${JSON.stringify(note('two'))}\n`);
    expect(told(events.read)).toEqual(['two']);
  });
});
