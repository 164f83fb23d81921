import { describe } from 'vitest';
import { agentCases } from './cases.ts';

describe('Claude Code', () => {
  agentCases({ name: 'claude', mostCalls: 8, resetWithinMs: 1_000 });
});
