/** What the conformance suite needs to know of OpenCode: `devflow conform adapter opencode` reads it. */
import { readFileSync } from 'node:fs';

const FIXTURES = new URL('../fixtures/1.18.33/', import.meta.url);
const capture = (name: string) => readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8');

const HELP = `
      --format  --dir  --title  -m, --model  --variant  -s, --session  --fork  --agent  --auto`;

const logins = (models: string, auth: string) => [
  { args: ['models'], stdout: models },
  { args: ['auth', 'list'], stdout: auth },
];

export const conformance = {
  captures: {
    success: {
      stdout: capture('a-success'),
      status: 0,
      says: {
        finalText: 'All done.\n\nDEVFLOW_RESULT: {"status":"success"}',
        sessionId: 'ses_dd4a3d03effeXZEJnLfLQwMeNt',
        usage: { inputTokens: 3000, outputTokens: 135, cacheReadTokens: 600, cacheWriteTokens: 0 },
        costUsd: 3 * 0.00109,
      },
    },
    error: { stdout: capture('b-401'), status: 1 },
  },
  stub: {
    answers: [
      { args: ['--version'], stdout: '1.18.33\n' },
      { args: ['run', '--help'], stdout: HELP },
      ...logins('anthropic/claude-sonnet-4-5\nopencode/free\n', '●  Anthropic api\n'),
    ],
    // OpenCode's own provider is there without any login.
    loggedOut: { answers: logins('opencode/free\n', '') },
  },
};
