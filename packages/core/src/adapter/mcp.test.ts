import { expect, test } from 'vitest';

import { mcpVariables } from './mcp.js';

test('tool servers need the variables that they name, and no others', () => {
  const variables = mcpVariables({
    plain: { command: ['server'], env: { SET: 'here' } },
    passed: { command: ['server'], envFrom: ['KEY', 'HOST'] },
    open: { url: 'https://tools.example.com' },
    closed: { url: 'https://tools.example.com', tokenFrom: 'TOKEN', headers: { 'X-A': 'b' } },
  });
  expect(variables).toEqual(['KEY', 'HOST', 'TOKEN']);
  expect(mcpVariables({})).toEqual([]);
});
