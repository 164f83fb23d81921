import { expect, test } from 'vitest';

import { missingServer, otherEvent, plainLine } from './found-event.js';

test('an event that is not known is kept as it is, with the first words that it has', () => {
  const line = '{"type":"new"}';
  expect(otherEvent('new', line, undefined, '', ' \n', 'it\nsays', 'more')).toEqual({
    kind: 'other',
    name: 'new',
    summary: 'it says',
    detail: line,
  });
  expect(otherEvent('new', line)).toMatchObject({ summary: 'new' });
});

test('a line that is no entry is its own summary', () => {
  expect(plainLine('Warning:  a ')).toEqual({
    kind: 'other',
    name: 'text',
    summary: 'Warning: a',
    detail: 'Warning:  a ',
  });
});

test('a tool server that is not there asks for attention, and is named with why', () => {
  expect(missingServer('init', 'issues', 'failed', 'no such\nprogram')).toEqual({
    kind: 'attention',
    name: 'init',
    summary: 'the tool server "issues" is not there (failed): no such program',
    ok: false,
  });
});

test('all of it has its limits', () => {
  const long = 'x'.repeat(2000);
  const { name, summary, detail } = otherEvent(long, long, long);
  expect([name.length, summary.length, detail?.length]).toEqual([300, 300, 900]);
});
