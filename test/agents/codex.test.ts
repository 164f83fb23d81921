import { describe } from 'vitest';
import { agentCases } from './cases.ts';

describe('Codex', () => {
  agentCases({ name: 'codex', mostCalls: 30, resetWithinMs: 60_000, structuredOutput: true });
});
