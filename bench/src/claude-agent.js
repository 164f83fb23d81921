import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createJiti } from 'jiti';
import { programFile } from './programs.js';

/**
 * The real Claude Code CLI, with a scripted model on 127.0.0.1.
 * @typedef {object} ClaudeAgent
 * @property {string} adapterModule
 * @property {import('../../packages/core/dist/index.js').ProfileDefinition} profile
 * @property {() => Promise<void>} close
 */

const COMMIT = 'echo work >>work.txt && git add -A && git commit --quiet -m work';
const ANSWER = 'Done.\n\nDEVFLOW_RESULT: {"status":"success","summary":"done"}';

/**
 * @param {string} root
 * @param {import('./world.js').World} world
 * @param {string} log where the agents' times go
 * @returns {Promise<ClaudeAgent | { missing: string }>}
 */
export async function claudeAgent(root, world, log) {
  const adapterModule = path.join(root, 'packages/adapter-claude/dist/index.js');
  const server = path.join(root, 'test/model-server/server.ts');
  const { installedAgent } = await import(path.join(root, 'scripts/agents-install.js'));
  const binary = installedAgent('claude');
  if (!existsSync(adapterModule)) return { missing: `${adapterModule} is not built` };
  if (binary === undefined)
    return { missing: 'the Claude Code CLI is not installed: npm run agents:install' };

  /** @type {typeof import('../../test/model-server/server.ts')} */
  const { startModelServer } = await createJiti(import.meta.url).import(server);
  const model = await startModelServer(({ tools, body }) => {
    if (!tools.includes('Bash')) return { text: 'ok' }; // it asks for a title, or the like
    if (body.includes('"tool_result"')) return { text: ANSWER };
    return { calls: [{ tool: 'Bash', input: { command: COMMIT, description: 'Commit' } }] };
  });
  const program = timedProgram(world, binary, log);
  const configuration = path.join(world.directory, 'claude');
  mkdirSync(configuration);
  return {
    adapterModule,
    profile: {
      adapter: 'claude',
      program,
      env: {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'scripted',
        CLAUDE_CONFIG_DIR: configuration,
        // As root it refuses to work otherwise; only the scripted model can tell it to do anything.
        IS_SANDBOX: '1',
      },
    },
    close: () => model.close(),
  };
}

/**
 * The CLI with its times noted, for a turn only: what preflight asks it is no turn.
 * @param {import('./world.js').World} world
 * @param {string} binary
 * @param {string} log
 */
function timedProgram(world, binary, log) {
  const file = path.join(world.directory, 'timed-claude');
  writeFileSync(
    file,
    `#!/bin/sh
[ "$1" = -p ] || exec '${binary}' "$@"
exec sh '${programFile('timed.sh')}' '${log}' claude '${binary}' "$@"
`,
  );
  chmodSync(file, 0o755);
  return file;
}
