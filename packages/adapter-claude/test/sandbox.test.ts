import type { ExecRequest } from '@devflow/core/adapter';
import { describe, expect, test } from 'vitest';

import { claude } from '../src/index.ts';

const HOME = '/home/someone';

function needs(env: Record<string, string>, more: Partial<ExecRequest> = {}) {
  const request: ExecRequest = {
    phase: 1,
    mode: 'work',
    prompt: '',
    cwd: '/checkout',
    extraWritableRoots: [],
    confinedBy: 'devflow',
    scratchDir: '/scratch',
    ...more,
  };
  return claude().sandboxNeeds?.(request, { HOME, ...env });
}

describe('what the agent writes beside its checkout', () => {
  test('is in its HOME', () => {
    expect(needs({})?.write).toEqual([`${HOME}/.claude`, `${HOME}/.claude.json`]);
  });

  test('is in its own directory, where it has one', () => {
    expect(needs({ CLAUDE_CONFIG_DIR: '/elsewhere' })?.write).toEqual(['/elsewhere']);
  });

  test('is unknown without either', () => {
    expect(needs({ HOME: '' })?.write).toEqual([]);
  });
});

describe('whom the agent calls', () => {
  test('its vendor', () => {
    expect(needs({})?.hosts).toEqual(['api.anthropic.com', 'platform.claude.com']);
  });

  test('the gateway that is set in place of it', () => {
    expect(needs({ ANTHROPIC_BASE_URL: 'https://gateway.example.com:8443/x' })?.hosts).toEqual([
      'gateway.example.com',
    ]);
  });

  test('the tool servers of its profile', () => {
    const mcp = {
      remote: { url: 'https://tools.example.com/mcp' },
      vendor: { url: 'https://api.anthropic.com/mcp' },
      local: { command: ['server'] },
    };
    expect(needs({}, { mcp })?.hosts).toEqual([
      'api.anthropic.com',
      'platform.claude.com',
      'tools.example.com',
    ]);
  });
});

test('the program is looked for where its installers put it', () => {
  expect(claude().searchPath).toEqual(expect.arrayContaining(['~/.local/bin', '~/.claude/local']));
});
