import { none } from './none.js';
import type { SandboxProvider } from './provider.js';

export type * from './provider.js';

const PROVIDERS: Readonly<Record<'none', SandboxProvider>> = { none };

export function sandboxProvider(name: 'none'): SandboxProvider {
  return PROVIDERS[name];
}
