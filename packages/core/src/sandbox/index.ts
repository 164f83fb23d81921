import type { SandboxName } from '../workflow/schema.js';
import { none } from './none.js';
import { own } from './own.js';
import type { SandboxProvider } from './provider.js';

export type * from './provider.js';

const PROVIDERS: Readonly<Record<SandboxName, SandboxProvider>> = { none, own };

export function sandboxProvider(name: SandboxName): SandboxProvider {
  return PROVIDERS[name];
}
