import type { AgentAdapter } from '@devflow/core';

/** The adapters that devflow brings along; each is loaded only when it is asked for. */
export const BUILT_IN: Readonly<Record<string, () => Promise<AgentAdapter>>> = {
  claude: async () => (await import('@devflow/adapter-claude')).claude(),
  codex: async () => (await import('@devflow/adapter-codex')).codex(),
  opencode: async () => (await import('@devflow/adapter-opencode')).opencode(),
  command: async () => (await import('@devflow/core/command')).command(),
};
