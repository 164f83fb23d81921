// What the conformance suite needs to know of noter: `devflow conform adapter noter` reads it.

const lines = (...entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
const start = { type: 'start', cwd: '/project' };
const answer = 'DEVFLOW_RESULT: {"status":"success","summary":"\\"Buy milk\\" is in NOTES.md"}';
const finalText = `It is noted.\n${answer}`;

export const conformance = {
  // As noter.mjs prints it: the test of this example runs it and compares.
  captures: {
    success: {
      stdout: lines(
        start,
        { type: 'edit', file: 'NOTES.md' },
        { type: 'end', ok: true, text: finalText },
      ),
      status: 0,
      says: { finalText },
    },
    error: {
      stdout: lines(start, { type: 'end', ok: false, text: 'There is nothing to note.' }),
      status: 0,
    },
  },
};
