import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../adapter/index.js';
import { plainTextOutput } from './plain-text.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
  file = path.join(directory, 'stdout.log');
  writeFileSync(file, '');
});
afterEach(() => rmSync(directory, { recursive: true }));

function output() {
  const events: AgentEvent[] = [];
  const notes: string[] = [];
  const read = plainTextOutput(
    file,
    (event) => events.push(event),
    (text) => notes.push(text),
  );
  return { events, notes, ...read };
}

describe('plain text', () => {
  it('is its own final text, and says nothing of how the turn ended', () => {
    writeFileSync(file, 'one\n\ntwo\n');
    expect(output().finish({ drain: true })).toEqual({
      turn: 'unknown',
      finalText: 'one\n\ntwo\n',
    });
  });

  it('has no tool calls', () => {
    expect(output().openCalls()).toBe(0);
  });

  it('shows its last words, once', () => {
    const { events, read } = output();
    writeFileSync(file, 'one\n  two  \n\n');
    read();
    read();
    expect(events).toEqual([
      { v: 1, kind: 'text', name: 'stdout', summary: 'two', state: 'working', child: false },
    ]);
    appendFileSync(file, 'three');
    read();
    expect(events.at(-1)).toMatchObject({ summary: 'three' });
  });

  it('shows nothing of what is blank, and no more than 300 characters', () => {
    const { events, read } = output();
    writeFileSync(file, '\n   \n');
    read();
    expect(events).toEqual([]);
    appendFileSync(file, 'x'.repeat(1_000));
    read();
    expect(events[0]?.summary).toHaveLength(300);
  });

  it('is read from its end only: the last lines, whole', () => {
    writeFileSync(file, `${'x'.repeat(99)}\n`.repeat(20_000));
    appendFileSync(file, 'the end\n');
    const { finalText = '' } = output().finish({ drain: true });
    expect(finalText.length).toBeLessThanOrEqual(1_000_000);
    expect(finalText).toMatch(/^x{99}\n[^]*x{99}\nthe end\n$/);
  });

  it('says so where it was read in part, however long a line is', () => {
    writeFileSync(file, `${'x'.repeat(12_000_000)}\nthe end\n`);
    const { finish, notes } = output();
    expect(finish({ drain: true }).finalText).toBe('the end\n');
    expect(notes).toEqual([
      expect.stringMatching(
        /^the agent printed 12 MB; the last 1 MB was read .*stdout\.log has it whole$/,
      ),
    ]);
  });
});
