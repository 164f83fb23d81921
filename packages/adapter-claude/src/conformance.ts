/** What the conformance suite needs to know of Claude Code: `devflow conform adapter claude` reads it. */
import { readFileSync } from 'node:fs';

const FIXTURES = new URL('../fixtures/2.1.332/', import.meta.url);
const capture = (name: string) => readFileSync(new URL(`${name}.jsonl`, FIXTURES), 'utf8');

const HELP = `
  --allowedTools --append-system-prompt --dangerously-skip-permissions --effort --json-schema --mcp-config
  --model -p, --print --output-format -r, --resume --setting-sources --settings --strict-mcp-config
  --system-prompt-snapshot --tools --verbose`;

const login = (status: object) => ({ args: ['auth', 'status'], stdout: JSON.stringify(status) });

export const conformance = {
  captures: {
    success: {
      stdout: capture('a-success'),
      status: 0,
      says: {
        finalText: 'All done.\n\nDEVFLOW_RESULT: {"status":"success"}',
        sessionId: 'c65e4033-499a-4ef4-a09e-811065c259b3',
        usage: { inputTokens: 3600, outputTokens: 135, cacheReadTokens: 600, cacheWriteTokens: 0 },
        costUsd: 0.01722,
      },
    },
    error: { stdout: capture('b-401-maxretries0'), status: 1 },
  },
  stub: {
    answers: [
      { args: ['--version'], stdout: '2.1.332 (Claude Code)\n' },
      { args: ['--help'], stdout: HELP },
      login({ loggedIn: true, authMethod: 'api_key' }),
    ],
    loggedOut: { answers: [login({ loggedIn: false, authMethod: 'none' })] },
    unlistedFlags: ['--append-system-prompt-file'],
    // Else it refuses to work as root; the stub does nothing that it would have to be kept from.
    env: { IS_SANDBOX: '1' },
  },
};
