import { claude } from '@devflow/adapter-claude';
import type { AgentAdapter } from '@devflow/core';
import { command } from '@devflow/core/command';

/** The adapters that devflow brings along; each is also an agent under its own name. */
export function knownAdapters(): readonly AgentAdapter[] {
  return [claude(), command()];
}
