import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../src/command/index.js';
import { directoryAdapter } from '../src/directory/index.js';
import { conformAdapter, directoryKit, notPassed, readKit } from '../src/testing/index.js';
import { parrotSubject } from './parrot.js';
import { temporaryDirectory } from './temporary.js';

const PLAIN_TEXT = 'UNSUPPORTED: its output is plain text: it carries no events';
const UNSUPPORTED = {
  'events-normalised': PLAIN_TEXT,
  'usage-reported': PLAIN_TEXT,
  'session-id': 'UNSUPPORTED: it does not claim to continue sessions (capabilities.continue)',
  'wire-idempotent': 'UNSUPPORTED: it offers no wiring',
};

test.each(['stdin', 'file'] as const)(
  'the adapter of any command conforms, with its prompt by %s',
  async (promptBy) => {
    const options = (program: string) => ({ command: [program, '--now'], promptBy });
    const report = await conformAdapter({ adapter: command(), stub: { options } });
    expect(notPassed(report)).toEqual(UNSUPPORTED);
  },
);

/** A directory that is an adapter for the program `parrot`. */
function adapterDirectory(files: Readonly<Record<string, string>> = {}): string {
  const directory = path.join(temporaryDirectory(), 'mine');
  mkdirSync(directory);
  const all = {
    run: '#!/bin/sh\nexec parrot --mode "$AGENT_MODE"\n',
    'conformance.json': '{ "program": "parrot" }',
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    writeFileSync(path.join(directory, name), content);
    if (content.startsWith('#!')) chmodSync(path.join(directory, name), 0o755);
  }
  return directory;
}

const conformDirectory = (directory: string) =>
  conformAdapter({ adapter: directoryAdapter(directory), ...directoryKit(directory) });

test('an adapter that is a directory conforms', async () => {
  expect(notPassed(await conformDirectory(adapterDirectory()))).toEqual({
    ...UNSUPPORTED,
    'preflight-honest':
      'UNSUPPORTED: its own program starts the agent, which preflight does not see',
  });
});

test('a directory that swallows the status and the prompt does not', async () => {
  const run = '#!/bin/sh\nparrot </dev/null\nexit 0\n';
  const report = notPassed(await conformDirectory(adapterDirectory({ run })));
  expect(report).toMatchObject({
    'builds-a-command': 'FAIL: the prompt did not reach the agent byte for byte',
    'exit-passthrough': expect.stringContaining('exit 1 came to completed'),
  });
});

const WIRE = `#!/bin/sh
grep -q devflow "$HOME/.parrot/hooks" && exit 0
[ "$1" = --dry-run ] || echo devflow >>"$HOME/.parrot/hooks"
`;
const foreign = { '.parrot/hooks': { content: 'somebody else\n', keeps: 'somebody else' } };

test.each([
  ['is asked to wire', WIRE, {}],
  ['and fails where it does so twice', WIRE.replace('&& exit 0', ''), { 'wire-idempotent': 'FAIL: wiring a second time changed something' }],
])('the program `wire` of a directory %s', async (_, wire, expected) => {
  const conformance = JSON.stringify({ program: 'parrot', foreign });
  const directory = adapterDirectory({ wire, 'conformance.json': conformance });
  const subject = { adapter: directoryAdapter(directory), ...directoryKit(directory) };
  expect(notPassed(await conformAdapter(subject, { only: 'wire-idempotent' }))).toEqual(expected);
}); // prettier-ignore

test('what a directory says of its agent is refused where it is wrong, with all that is wrong', () => {
  const directory = adapterDirectory();
  writeFileSync(path.join(directory, 'conformance.json'), '{');
  expect(() => directoryKit(directory)).toThrow(
    expect.objectContaining({
      code: 'ADAPTER_INVALID',
      problems: [expect.stringMatching(/^conformance\.json: /)],
    }),
  );
  writeFileSync(path.join(directory, 'conformance.json'), '{ "answers": [{}], "x": 1 }');
  expect(() => directoryKit(directory)).toThrow(
    expect.objectContaining({
      problems: [
        expect.stringContaining('program'),
        expect.stringContaining('args'),
        expect.stringContaining('stdout'),
        expect.stringContaining('x'),
      ],
    }),
  );
});

test('what a module says of its agent is refused in the same way', () => {
  const captures = { success: { stdout: '', status: 0, says: {} }, error: { stdout: '' } };
  const wrong = { captures, stub: { options: 'none', answers: [{}] }, wire: { run: true }, x: 1 };
  expect(() => readKit(wrong, 'mine.mjs')).toThrow(
    expect.objectContaining({
      code: 'ADAPTER_INVALID',
      message: 'mine.mjs cannot be tested',
      hint: expect.stringContaining('docs/conformance.md'),
      problems: [
        expect.stringContaining('conformance: captures.success.says.finalText'),
        expect.stringContaining('captures.error.status'),
        expect.stringContaining('stub.options: expected a function'),
        expect.stringContaining('stub.answers[0].args'),
        expect.stringContaining('stub.answers[0].stdout'),
        expect.stringContaining('wire.run: expected a function'),
        expect.stringContaining('x'),
      ],
    }),
  );
  const { captures: right, stub, wire } = parrotSubject();
  expect(readKit({ captures: right, stub, wire }, 'mine.mjs')).toEqual({
    captures: right,
    stub,
    wire,
  });
});
