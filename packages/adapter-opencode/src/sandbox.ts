import path from 'node:path';

import type { ExecRequest, SandboxNeeds } from '@devflow/core/adapter';

/** Where its best-known providers are reached. Of another provider the sandbox's own configuration names the hosts. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['api.anthropic.com', 'console.anthropic.com'],
  openai: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
  openrouter: ['openrouter.ai'],
  google: ['generativelanguage.googleapis.com'],
  opencode: ['opencode.ai'],
  'github-copilot': ['api.githubcopilot.com', 'api.github.com', 'github.com'],
};

/**
 * Its settings stay unwritable: a plugin that the agent put there would run in the user's own OpenCode.
 * OpenCode bears that once it has a `.gitignore` there, which it makes when preflight asks it for its models.
 * @param env the agent's environment: it says where OpenCode keeps its sessions and caches
 */
export function sandboxNeeds(
  { model, mcp = {} }: ExecRequest,
  env: Readonly<Record<string, string>>,
): SandboxNeeds {
  const under = (variable: string, ...usual: string[]) =>
    path.join(env[variable] || path.join(env['HOME'] ?? '/', ...usual), 'opencode');
  const provider = model?.split('/', 1)[0];
  const servers = Object.values(mcp).flatMap((server) =>
    'url' in server ? [new URL(server.url).hostname] : [],
  );
  return {
    write: [
      under('XDG_DATA_HOME', '.local', 'share'),
      under('XDG_STATE_HOME', '.local', 'state'),
      under('XDG_CACHE_HOME', '.cache'),
    ],
    hosts: [
      ...(provider === undefined ? Object.values(HOSTS).flat() : (HOSTS[provider] ?? [])),
      ...servers,
    ],
  };
}
