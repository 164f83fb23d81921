import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import type { AgentEvent } from '../adapter/index.js';
import { openEventLog } from './event-log.js';

const event = (more: Partial<AgentEvent> = {}): AgentEvent => ({
  v: 1,
  kind: 'text',
  name: 'message',
  summary: 'hello',
  state: 'working',
  child: false,
  ...more,
});

function logged(secrets: readonly string[], ...events: AgentEvent[]) {
  const file = path.join(temporaryDirectory(), 'events.jsonl');
  const log = openEventLog(file, secrets);
  const shown = events.map((one) => log.write(one));
  log.close();
  const kept = readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
  return { file, shown, kept };
}

describe('the log of events', () => {
  it('keeps each event on a line, with the time', () => {
    const { kept, shown } = logged([], event(), event({ text: 'two\nlines' }));
    expect(shown).toEqual([event(), event({ text: 'two\nlines' })]);
    expect(kept).toEqual(shown.map((one) => ({ at: expect.stringMatching(/Z$/), ...one })));
  });

  it('shows an event in flight and does not keep it', () => {
    const { kept, shown } = logged([], event({ running: true }), event({ ok: true }));
    expect(shown).toHaveLength(2);
    expect(kept).toHaveLength(1);
  });

  it('redacts secrets wherever they stand, for those who watch and on the disk', () => {
    const secret = 'secret-value';
    const leaking = event({
      summary: `a ${secret} b ${secret}`,
      cmd: `curl -H ${secret}`,
      detail: secret,
      text: secret,
      file: `/${secret}`,
    });
    const { kept, shown, file } = logged([secret], leaking);
    expect(shown[0]).toMatchObject({
      summary: 'a [redacted] b [redacted]',
      cmd: 'curl -H [redacted]',
      child: false,
      v: 1,
    });
    expect(kept).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
  });

  it('leaves no rest of a secret that begins like another', () => {
    const { shown } = logged(
      ['token-abc', 'token-abc-and-more'],
      event({ summary: 'token-abc-and-more token-abc' }),
    );
    expect(shown[0]?.summary).toBe('[redacted] [redacted]');
  });

  it('takes a secret for text, never for a pattern', () => {
    const { shown } = logged(['a.c$&(x)'], event({ summary: 'abc a.c$&(x)' }));
    expect(shown[0]?.summary).toBe('abc [redacted]');
  });

  it('begins anew where the output is read again from its start', () => {
    const { file } = logged([], event(), event());
    const log = openEventLog(file, []);
    log.write(event({ summary: 'again' }));
    log.close();
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2);
  });
});
