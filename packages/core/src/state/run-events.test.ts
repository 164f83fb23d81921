import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import type { RunEvent, RunEventBody } from '../events.js';
import { openRunEvents } from './run-events.js';

const event = (body: RunEventBody): RunEvent => ({ v: 1, at: 'now', run: 'x', ...body });
const note = (text: string) => event({ type: 'note', text });
const parsed = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as RunEvent];
      } catch {
        return [];
      }
    });

describe('the run events that are kept', () => {
  it('are whole lines, for nobody else to read; what agents did is not among them', () => {
    const file = path.join(temporaryDirectory(), 'events.jsonl');
    const losses: string[] = [];
    const kept = openRunEvents(file, (why) => losses.push(why));
    kept.write(note('one'));
    const agent = {
      v: 1,
      kind: 'text',
      name: 'text',
      summary: 'hello',
      state: 'working',
      child: false,
    } as const;
    kept.write(event({ type: 'agent', phase: 1, attempt: 1, event: agent }));
    kept.write(note('two'));
    kept.close();
    expect(readFileSync(file, 'utf8')).toBe(
      [note('one'), note('two')].map((each) => `${JSON.stringify(each)}\n`).join(''),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(losses).toEqual([]);
  });

  it('go on behind what a holder that died left in half', () => {
    const file = path.join(temporaryDirectory(), 'events.jsonl');
    writeFileSync(file, `${JSON.stringify(note('before'))}\n{"v":1,"at`);
    const kept = openRunEvents(file, () => undefined);
    kept.write(note('after'));
    kept.close();
    expect(parsed(file)).toEqual([note('before'), note('after')]);
  });

  it('that cannot be written are lost with one word about it, and nothing else', () => {
    const losses: string[] = [];
    const full = openRunEvents('/dev/full', (why) => losses.push(why));
    full.write(note('one'));
    full.write(note('two'));
    full.close();
    expect(losses).toEqual([expect.stringContaining('no regular file')]);
  });

  it('for which there is no file are lost in the same way', () => {
    const directory = temporaryDirectory();
    const file = path.join(directory, 'events.jsonl');
    mkdirSync(file); // also to root this is no file
    const losses: string[] = [];
    const none = openRunEvents(file, (why) => losses.push(why));
    expect(losses).toEqual([]);
    none.write(note('one'));
    none.write(note('two'));
    none.close();
    expect(losses).toEqual([expect.stringContaining('no regular file')]);
  });
});
