import { describe, expect, it } from 'vitest';
import type { AgentAdapter } from './adapter/index.js';
import { command } from './command/index.js';
import { agentEnvironment, baseEnvironment, secretValues } from './environment.js';
import type { Profile } from './workflow/workflow.js';

const caller = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_TIME: 'de_DE.UTF-8',
  GIT_AUTHOR_NAME: 'Me',
  GIT_DIR: '/elsewhere/.git',
  GIT_WORK_TREE: '/elsewhere',
  GIT_INDEX_FILE: '/elsewhere/index',
  GIT_CONFIG_PARAMETERS: "'user.name=x'",
  GIT_SSH_COMMAND: 'ssh -i key',
  AWS_SECRET_ACCESS_KEY: 'aws-secret-value',
  AGENT_API_KEY: 'agent-key-value',
  DATABASE_URL: 'postgres://user:password@host/db',
  NODE_OPTIONS: '--require /tmp/x.js',
  LD_PRELOAD: '/tmp/x.so',
  EMPTY: '',
  UNSET: undefined,
};
const agent: AgentAdapter = {
  ...command({ command: ['agent'] }),
  envFrom: ['AGENT_API_KEY', 'AGENT_HOME'],
};
const profile = (more: Partial<Profile> = {}): Profile => ({
  adapter: 'command',
  env: {},
  envFrom: [],
  options: {},
  ...more,
});

describe('the environment of a command', () => {
  it('has what is on the list and nothing else of the caller', () => {
    const names = Object.keys(baseEnvironment(caller)).filter(
      (name) => !name.startsWith('GIT_CONFIG_'),
    );
    expect(names.toSorted()).toEqual(['GIT_AUTHOR_NAME', 'HOME', 'LC_TIME', 'PATH']);
  });

  it('has no secret of the caller, under any name', () => {
    const text = JSON.stringify(agentEnvironment(caller, { ...agent, envFrom: [] }, undefined));
    for (const value of [
      'aws-secret-value',
      'agent-key-value',
      'postgres://',
      '/tmp/x',
      '/elsewhere',
    ])
      expect(text).not.toContain(value);
  });

  it("leads git nowhere else and keeps it from signing, whatever the caller's says", () => {
    const env = baseEnvironment({
      ...caller,
      GIT_CONFIG_COUNT: '9',
      GIT_CONFIG_KEY_0: 'core.worktree',
    });
    expect(env).not.toHaveProperty('GIT_DIR');
    expect(env).not.toHaveProperty('GIT_CONFIG_PARAMETERS');
    const count = Number(env['GIT_CONFIG_COUNT']);
    const settings = Array.from({ length: count }, (_, index) => [
      env[`GIT_CONFIG_KEY_${index}`],
      env[`GIT_CONFIG_VALUE_${index}`],
    ]);
    expect(Object.fromEntries(settings)).toEqual({
      'commit.gpgSign': 'false',
      'tag.gpgSign': 'false',
      'gc.auto': '0',
      'maintenance.auto': 'false',
      'core.fsync': 'loose-object,reference',
    });
  });
});

describe("the agent's environment", () => {
  it('has in addition what its adapter and its profile ask for by name, and what the profile sets', () => {
    const env = agentEnvironment(
      caller,
      agent,
      profile({ envFrom: ['DATABASE_URL', 'EMPTY', 'UNSET'], env: { MODE: 'x', HOME: '/own' } }),
    );
    expect(env).toMatchObject({
      AGENT_API_KEY: 'agent-key-value',
      DATABASE_URL: caller.DATABASE_URL,
      EMPTY: '',
      MODE: 'x',
      HOME: '/own',
    });
    expect(env).not.toHaveProperty('UNSET');
    expect(env).not.toHaveProperty('AGENT_HOME');
    expect(env).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  });
});

describe('secrets', () => {
  it('are what a profile passes on, and what is named like one', () => {
    const found = secretValues(
      { ...caller, AGENT_HOME: '/home/agent' },
      { ...agent, envFrom: ['AGENT_API_KEY', 'AGENT_HOME'] },
      profile({
        envFrom: ['DATABASE_URL', 'MISSING'],
        env: { MY_TOKEN: 'my-token-value', my_password: 'my-password', COLOR: 'not-a-secret' },
      }),
    );
    expect(new Set(found)).toEqual(
      new Set(['agent-key-value', caller.DATABASE_URL, 'my-token-value', 'my-password']),
    );
  });

  it('are not what is too short to be one', () => {
    expect(
      secretValues({ AGENT_API_KEY: 'short' }, agent, profile({ env: { TOKEN: '1' } })),
    ).toEqual([]);
    expect(secretValues(caller, { ...agent, envFrom: [] }, undefined)).toEqual([]);
  });
});
