/** What the conformance suite needs to know of Codex: `devflow conform adapter codex` reads it. */
import { readFileSync } from 'node:fs';

const FIXTURES = new URL('../fixtures/0.171.0/', import.meta.url);
const capture = (name: string) => readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8');

const HELP = `
  -c, --config <key=value> -s, --sandbox <SANDBOX_MODE> -m, --model <MODEL> --json
      --color <COLOR> --output-schema <FILE> --ignore-rules`;

const login = (stderr: string, status: number) => ({
  args: ['login', 'status'],
  stdout: '',
  stderr,
  status,
});

export const conformance = {
  captures: {
    success: {
      stdout: capture('a-success'),
      status: 0,
      says: {
        finalText: 'All done.\n\nDEVFLOW_RESULT: {"status":"success"}',
        sessionId: '01a22b5a-f1a7-72a1-8572-f39281cace52',
        usage: { inputTokens: 3000, outputTokens: 135, cacheReadTokens: 600, cacheWriteTokens: 0 },
      },
    },
    error: { stdout: capture('b-401'), status: 1 },
  },
  stub: {
    answers: [
      { args: ['--version'], stdout: 'codex-cli 0.171.0\n' },
      { args: ['exec', '--help'], stdout: HELP },
      { args: ['sandbox', 'true'], stdout: '' },
      { args: ['mcp', 'list'], stdout: '[]\n' },
      login('Logged in using ChatGPT\n', 0),
    ],
    loggedOut: { answers: [login('Not logged in\n', 1)] },
  },
};
