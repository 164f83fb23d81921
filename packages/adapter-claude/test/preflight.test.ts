import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Probe } from '@devflow/core/adapter';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { claude } from '../src/index.ts';
import { probeOf } from '../../../test/directory-probe.ts';

const HELP = `
  --dangerously-skip-permissions --model <model> -p, --print --output-format --verbose
  -r, --resume [value] --tools <tools...> --strict-mcp-config --setting-sources --settings`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'devflow-preflight-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Stub {
  readonly version?: string;
  readonly help?: string;
  /** What `auth status` prints. */
  readonly auth?: string;
  readonly uid?: string;
}

/** Puts programs into the directory that answer as the real ones do. */
function install({
  version = '2.1.332 (Claude Code)',
  help = HELP,
  auth = '',
  uid = '1000',
}: Stub = {}): void {
  program(
    'claude',
    `case "$1 $2" in
      --version*) printf '%s' '${version}' ;;
      --help*) printf '%s' '${help}' ;;
      'auth status') printf '%s' '${auth}' ;;
      *) exit 9 ;;
    esac`,
  );
  program('id', `[ "$1" = -u ] && echo ${uid}`);
}

function program(name: string, script: string): void {
  const file = path.join(directory, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

async function preflight(facts: Partial<Probe> = {}, options: Record<string, unknown> = {}) {
  const found = await claude().configure?.(options).preflight?.(probeOf(directory, facts));
  if (found === undefined) throw new Error('the adapter has no preflight');
  return { ...found, codes: found.problems.map(({ code }) => code) };
}

test('a checked version stands in nobody’s way', async () => {
  install();
  expect(await preflight()).toMatchObject({ problems: [], notes: [], version: '2.1.332' });
});

test('a missing program comes with the command that installs it', async () => {
  const { problems } = await preflight();
  expect(problems).toMatchObject([
    {
      code: 'AGENT_NOT_FOUND',
      hint: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
    },
  ]);
});

test('the program of the profile is the one that is looked for', async () => {
  install();
  expect((await preflight({}, { program: 'other' })).codes).toEqual(['AGENT_NOT_FOUND']);
});

test('a stub that cannot run is said to be one', async () => {
  program('claude', 'echo "Error: native binary not installed" >&2; exit 1');
  program('id', 'echo 1000');
  const { problems } = await preflight();
  expect(problems).toMatchObject([
    { code: 'AGENT_UNUSABLE', message: expect.stringContaining('native binary not installed') },
  ]);
});

describe('a stub whose package brought the program', () => {
  const stub = '#!/bin/sh\necho "Error: native binary not installed" >&2; exit 1\n';
  const platform = `${process.platform}-${process.arch}`;

  test.each([
    ['beside it', `lib/@anthropic-ai/claude-code-${platform}`],
    ['beside it, for another C library', `lib/@anthropic-ai/claude-code-${platform}-musl`],
    [
      'inside of it',
      `lib/@anthropic-ai/claude-code/node_modules/@anthropic-ai/claude-code-${platform}`,
    ],
  ])('%s comes with the path of that', async (_, place) => {
    put('lib/@anthropic-ai/claude-code/bin/claude.exe', stub);
    put(`${place}/claude`, '#!/bin/sh\necho 2.1.332\n');
    symlinkSync('lib/@anthropic-ai/claude-code/bin/claude.exe', path.join(directory, 'claude'));
    const { problems } = await preflight({ mode: 'review' });
    const hint = expect.stringContaining(path.join(directory, place, 'claude'));
    expect(problems).toMatchObject([{ code: 'AGENT_UNUSABLE', hint }]);
  });

  function put(name: string, content: string): void {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o755 });
  }
});

describe('versions', () => {
  test.each([
    ['2.0.76', ['AGENT_TOO_OLD'], 0],
    ['2.1.0', [], 0],
    ['2.1.99', [], 0],
    ['2.1.333', [], 1],
    ['10.0.0', [], 1],
  ])('%s', async (version, codes, notes) => {
    install({ version });
    const found = await preflight();
    expect(found.codes).toEqual(codes);
    expect(found.notes).toHaveLength(notes);
    expect(found.version).toBe(version);
  });
});

test.each([
  ['work', '--dangerously-skip-permissions'],
  ['review', '--tools'],
  ['review', '--strict-mcp-config'],
] as const)('a %s needs %s in the help', async (mode, flag) => {
  install({ help: HELP.replace(flag, '') });
  const { problems } = await preflight({ mode });
  expect(problems).toMatchObject([
    { code: 'AGENT_FLAG_UNKNOWN', message: expect.stringContaining(flag) },
  ]);
});

describe('the login', () => {
  const status = (fields: object) => JSON.stringify({ loggedIn: true, ...fields });

  test.each([
    [status({ loggedIn: false, authMethod: 'none' }), {}, ['AGENT_NOT_LOGGED_IN'], undefined],
    [status({ authMethod: 'api_key' }), {}, [], 'api-key'],
    [status({ authMethod: 'api_key_helper' }), {}, [], 'api-key'],
    [status({ authMethod: 'oauth_token' }), { ANTHROPIC_AUTH_TOKEN: 't' }, [], 'auth-token'],
    [
      status({ authMethod: 'oauth_token' }),
      { ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_API_KEY: 'k' },
      [],
      undefined, // both are sent
    ],
    [status({ authMethod: 'oauth_token' }), {}, [], 'subscription'],
    [status({ authMethod: 'claude.ai' }), {}, [], 'subscription'],
    [status({ authMethod: 'third_party', apiProvider: 'bedrock' }), {}, [], 'bedrock'],
    ['unknown command', {}, [], undefined],
  ])('%s', async (auth, env, codes, account) => {
    install({ auth });
    const found = await preflight({ checkLogin: true, env });
    expect(found.codes).toEqual(codes);
    expect(found.account).toBe(account);
    expect(found.notes).toHaveLength(1 - codes.length);
  });

  test.each([
    ['subscription', { CLAUDE_CODE_OAUTH_TOKEN: 't' }, []],
    ['subscription', { ANTHROPIC_AUTH_TOKEN: 't' }, ['AGENT_BILLING']],
    ['auth-token', { ANTHROPIC_AUTH_TOKEN: 't' }, []],
    ['auth-token', { ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_API_KEY: 'k' }, ['AGENT_BILLING']],
  ])('a profile that accepts %s only, with %o', async (billing, env, codes) => {
    install({ auth: status({ authMethod: 'oauth_token' }) });
    const found = await preflight({ checkLogin: true, env }, { billing });
    expect(found.codes).toEqual(codes);
    const said = [...found.notes, ...found.problems.map(({ message }) => message)].join();
    expect(said).toContain(Object.keys(env)[0]);
  });

  test('is asked in silence', async () => {
    const auth = status({ authMethod: 'api_key' });
    install({ auth });
    program(
      'claude',
      `[ "$1" = auth ] || exec echo '2.1.332'
      [ "$CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC" = 1 ] && printf '%s' '${auth}'`,
    );
    expect((await preflight({ checkLogin: true })).account).toBe('api-key');
  });

  test('is looked at only when that is asked for', async () => {
    install({ auth: status({ loggedIn: false }) });
    expect((await preflight()).codes).toEqual([]);
  });
});

test('a program that cannot be used is asked no more', async () => {
  program('claude', 'echo "$*" >>"$0.asked"; exit 1');
  program('id', 'echo 0');
  const { codes } = await preflight({ checkLogin: true });
  expect(codes).toEqual(['AGENT_UNUSABLE', 'AGENT_ROOT']);
  const asked = readFileSync(path.join(directory, 'claude.asked'), 'utf8').trim().split('\n');
  expect(asked.toSorted()).toEqual(['--help', '--version']);
});

describe('root', () => {
  test.each([
    ['in no sandbox', {}, ['AGENT_ROOT']],
    ['in the agent’s own sandbox', { confinedBy: 'own' }, ['AGENT_ROOT']],
    ['in devflow’s sandbox', { confinedBy: 'devflow' }, []],
    ['in a sandbox by the user’s word', { env: { IS_SANDBOX: '1' } }, []],
    ['by a word that the agent does not accept', { env: { IS_SANDBOX: 'yes' } }, ['AGENT_ROOT']],
    ['in a review', { mode: 'review' }, []],
  ] as const)('%s', async (_, facts, codes) => {
    install({ uid: '0' });
    expect((await preflight(facts)).codes).toEqual(codes);
  });
});

test('a review refuses arguments that may give it what writes', async () => {
  install();
  const options = { args: ['--mcp-config', 'servers.json'] };
  expect((await preflight({ mode: 'review' }, options)).codes).toEqual(['AGENT_ARGS_REVIEW']);
  expect((await preflight({ mode: 'work' }, options)).codes).toEqual([]);
});

test('all that is wrong is said at once', async () => {
  install({ version: '1.0.0', help: '', auth: '{"loggedIn":false}', uid: '0' });
  const { codes } = await preflight({ checkLogin: true });
  expect(codes).toEqual([
    'AGENT_TOO_OLD',
    'AGENT_FLAG_UNKNOWN',
    'AGENT_NOT_LOGGED_IN',
    'AGENT_ROOT',
  ]);
});
