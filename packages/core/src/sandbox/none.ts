import type { SandboxProvider } from './provider.js';

/** Nobody confines the agent: it can do whatever the user can. */
export const none: SandboxProvider = {
  name: 'none',
  confinedBy: 'nobody',
  confine: (command) => command,
  preflight: () => Promise.resolve([]),
};
