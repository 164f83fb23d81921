import type { SandboxProvider } from './provider.js';

/** The agent's own sandbox: its adapter says how, and its preflight whether it works here. */
export const own: SandboxProvider = {
  name: 'own',
  confinedBy: 'own',
  confine: (command) => command,
  preflight: () => Promise.resolve([]),
};
