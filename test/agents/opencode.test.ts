import { describe } from 'vitest';
import { agentCases } from './cases.ts';

describe('OpenCode', () => {
  agentCases({
    name: 'opencode',
    mostCalls: 8,
    resetWithinMs: 60_000,
    short: true,
  });
});
