import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MARKERS, readMarker, readMarkers } from './markers.js';

/** What `docs/markers.md` says is tried. */
const document = readFileSync(new URL('../../../docs/markers.md', import.meta.url), 'utf8');
const rows = [...document.matchAll(/^\| `([^`]+)`.*?\| (.*?) +\|$/gm)].map(
  ([, line = '', answer = '']) => ({ line: line.replace(/<.*>/, 'words'), answer }),
);

test('the document has every marker', () => {
  for (const name of MARKERS)
    expect(rows.filter(({ line }) => line.startsWith(name))).not.toEqual([]);
});

test.each(rows)('$line is $answer', ({ line, answer }) => {
  const found = readMarker(line)?.answer;
  const [, status, verdict] = /^`(\w+)`(?:, verdict `(\w+)`)?/.exec(answer) ?? [];
  expect([found?.status, found?.verdict]).toEqual([status, verdict]);
});

test('the example of the document gives what it says', () => {
  const said = [...document.matchAll(/^readMarker.*$/gm)].map(([text]) => text);
  expect(said).toHaveLength(2);
  expect(readMarker('PR REVIEW: approve')).toMatchObject({
    name: 'PR REVIEW',
    answer: { status: 'success', verdict: 'pass' },
  });
  expect(readMarkers(['ADDRESSED: the names', 'NOT READY: no database'])).toMatchObject({
    answer: { status: 'declined' },
  });
});
