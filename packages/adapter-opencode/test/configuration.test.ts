import type { ExecRequest } from '@devflow/core/adapter';
import { describe, expect, test } from 'vitest';

import { opencode } from '../src/index.ts';

const request: ExecRequest = {
  phase: 1,
  mode: 'work',
  prompt: 'do it',
  cwd: '/repository',
  extraWritableRoots: [],
  confinedBy: 'nobody',
  scratchDir: '/scratch',
};
const review: ExecRequest = { ...request, mode: 'review' };
const mcp = { 'my.tools': { command: ['node', 'server.js'], env: { A: '1' }, envFrom: ['TOKEN'] } };

function configurationOf(given: ExecRequest): Record<string, unknown> {
  return JSON.parse(opencode().extraEnv?.(given)['OPENCODE_CONFIG_CONTENT'] ?? '');
}

const filesOf = (given: ExecRequest) => opencode().execCommand(given).files ?? {};

describe('the configuration', () => {
  test('shares nothing, updates nothing, keeps no second copy, and has no tool that waits for an answer', () => {
    expect(configurationOf(request)).toMatchObject({
      share: 'disabled',
      autoupdate: false,
      snapshot: false,
      permission: { question: 'deny', plan_enter: 'deny', plan_exit: 'deny' },
    });
    expect(configurationOf(request)).not.toHaveProperty('agent');
  });

  test('of a review denies all but looking, and starts no program of the checkout', () => {
    expect(configurationOf(review)).toMatchObject({ lsp: false, formatter: false });
    const { permission } = reviewAgentOf(review);
    expect(Object.entries(permission)).toEqual([
      ['*', 'deny'], // first: the last rule that matches decides
      ['read', 'allow'],
      ['glob', 'allow'],
      ['grep', 'allow'],
      ['list', 'allow'],
    ]);
  });

  test('puts the agent of a review last once more when all configuration has been read', () => {
    expect(watchdogOptionsOf(review)['agents']).toEqual(configurationOf(review)['agent']);
  });

  test('has the instructions in a file of the scratch directory, and names it', () => {
    const given = { ...request, instructions: 'Be brief.' };
    expect(configurationOf(given)['instructions']).toEqual(['/scratch/opencode/instructions.md']);
    expect(filesOf(given)).toHaveProperty(['opencode/instructions.md'], 'Be brief.');
    expect(filesOf(request)).not.toHaveProperty(['opencode/instructions.md']);
  });

  test('names the watchdog, which is a file of the scratch directory', () => {
    expect(configurationOf(request)['plugin']).toMatchObject([
      ['file:///scratch/opencode/watchdog.js', { forget: ['npm_config_offline'] }],
    ]);
    expect(filesOf(request)['opencode/watchdog.js']).toContain('export const Watchdog');
  });
});

describe('tool servers', () => {
  test('are those of the phase and no others', () => {
    expect(configurationOf({ ...request, mcp })['mcp']).toEqual({
      'my.tools': {
        type: 'local',
        command: ['node', 'server.js'],
        environment: { A: '1' },
        enabled: true,
      },
    });
    expect(watchdogOptionsOf({ ...request, mcp })['servers']).toEqual(['my.tools']);
  });

  test('of the user stay where the phase names none, except in a review', () => {
    expect(watchdogOptionsOf(request)).not.toHaveProperty('servers');
    expect(watchdogOptionsOf(review)['servers']).toEqual([]);
  });

  test('have their tools allowed in a review that names them', () => {
    expect(reviewAgentOf({ ...review, mcp }).permission).toHaveProperty('my_tools_*', 'allow');
  });

  test('get a token by the name of its variable, never by its value', () => {
    const far = { url: 'https://tools.example/mcp', headers: { A: '1' }, tokenFrom: 'TOKEN' };
    expect(configurationOf({ ...request, mcp: { far } })['mcp']).toEqual({
      far: {
        type: 'remote',
        url: 'https://tools.example/mcp',
        headers: { A: '1', Authorization: 'Bearer {env:TOKEN}' },
        oauth: false,
        enabled: true,
      },
    });
  });
});

describe('version 2', () => {
  const second = { ...review, agentVersion: '2.0.1' };

  test('has a list of rules, by its own names', () => {
    const { permissions } = reviewAgentOf(second);
    expect(permissions[0]).toEqual({ action: '*', resource: '*', effect: 'deny' });
    expect(permissions).toContainEqual({ action: 'read', resource: '*', effect: 'allow' });
    expect(configurationOf(second)).not.toHaveProperty('permission');
    expect(configurationOf(second)['permissions']).toContainEqual({
      action: 'question',
      resource: '*',
      effect: 'deny',
    });
  });

  test('gets no plugin, which it would not run', () => {
    expect(configurationOf(second)).not.toHaveProperty('plugin');
    expect(filesOf(second)).toEqual({});
  });

  test.each([undefined, '1.18.33', 'unknown'])('is not what %s is taken for', (agentVersion) => {
    const given = agentVersion === undefined ? review : { ...review, agentVersion };
    expect(reviewAgentOf(given)).toHaveProperty('permission');
  });
});

/** The agent of the generated configuration. */
function reviewAgentOf(given: ExecRequest) {
  const { agent } = configurationOf(given) as {
    agent: Record<string, { permission: Record<string, string>; permissions: unknown[] }>;
  };
  const found = agent['devflow-review'];
  if (found === undefined) throw new Error('no agent for reviews');
  return found;
}

function watchdogOptionsOf(given: ExecRequest): Record<string, unknown> {
  const { plugin } = configurationOf(given) as { plugin: [string, Record<string, unknown>][] };
  return plugin[0]?.[1] ?? {};
}
