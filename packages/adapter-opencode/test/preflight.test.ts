import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Probe } from '@devflow/core/adapter';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { probeOf } from '../../../test/directory-probe.ts';
import { opencode } from '../src/index.ts';

const HELP =
  '--format --dir --title -m, --model --variant -s, --session --fork --agent --auto (on stderr)';
const API_LOGIN = '●  Anthropic \u001B[90mapi';
const OAUTH_LOGIN = '●  GitHub Copilot \u001B[90moauth';
const BY_VARIABLE = '●  Anthropic \u001B[90mANTHROPIC_API_KEY';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'devflow-preflight-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Stub {
  readonly version?: string;
  readonly help?: string;
  readonly models?: readonly string[];
  /** What `auth list` prints, line by line. */
  readonly logins?: readonly string[];
  /** What `models <provider> --verbose` prints. */
  readonly verbose?: string;
  /** What `session list` prints. */
  readonly sessions?: string;
}

/** Puts a program into the directory that answers as the real one does. */
function install({
  version = '1.18.33',
  help = HELP,
  models = ['opencode/free', 'anthropic/claude', 'github-copilot/gpt'],
  logins = [API_LOGIN, OAUTH_LOGIN],
  sessions = '',
  verbose = '',
}: Stub = {}): void {
  program(`case "$1 $2" in
    --version*) echo '${version}' ;;
    'run --help') printf '%s' '${help}' >&2 ;;
    'models '?*) printf '%s' '${verbose}' ;;
    models*) printf '%s\\n' ${models.map((model) => `'${model}'`).join(' ')} ;;
    'auth list') printf '%s\\n' '┌  Credentials' ${logins.map((login) => `'${login}'`).join(' ')} '└  credentials' ;;
    'session list') printf '%s' '${sessions}' ;;
    *) exit 9 ;;
  esac
  printf '%s\\n' "$OPENCODE_DISABLE_MODELS_FETCH $OPENCODE_CONFIG_CONTENT $OPENCODE_DISABLE_PROJECT_CONFIG" >>"$0.asked"
  echo "$XDG_STATE_HOME" >>"$0.states"`);
}

function program(script: string): void {
  const file = path.join(directory, 'opencode');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

async function preflight(facts: Partial<Probe> = {}, options: Record<string, unknown> = {}) {
  const found = await opencode().configure?.(options).preflight?.(probeOf(directory, facts));
  if (found === undefined) throw new Error('the adapter has no preflight');
  return { ...found, codes: found.problems.map(({ code }) => code) };
}

describe('the program', () => {
  test('of a checked version stands in nobody’s way', async () => {
    install();
    expect(await preflight()).toMatchObject({ problems: [], notes: [], version: '1.18.33' });
  });

  test('that is missing comes with the command that installs it', async () => {
    const { problems } = await preflight();
    expect(problems).toMatchObject([
      { code: 'AGENT_NOT_FOUND', hint: expect.stringContaining('npm install -g opencode-ai') },
    ]);
  });

  test('that is older lacks what is used', async () => {
    install({ version: '1.17.9' });
    expect((await preflight()).codes).toEqual(['AGENT_TOO_OLD']);
  });

  test('whose help lacks a flag that the phase needs is said to', async () => {
    install({ help: HELP.replace('--auto', '') });
    expect((await preflight({ mode: 'work' })).codes).toEqual(['AGENT_FLAG_UNKNOWN']);
    expect((await preflight({ mode: 'review' })).codes).toEqual([]);
  });

  test('of version 2 is told to run without the watchdog', async () => {
    install({ version: '2.0.0' });
    const { notes } = await preflight();
    expect(notes).toContainEqual(expect.stringContaining('newer than 1.18.33'));
    expect(notes).toContainEqual(expect.stringContaining('retries are not bounded'));
  });
});

describe('the login', () => {
  const login = (model: string | undefined, options = {}) =>
    preflight({ checkLogin: true, ...(model !== undefined && { model }) }, options);

  test.each([
    ['anthropic/claude', [API_LOGIN], 'api-key', 'the api login of Anthropic'],
    ['anthropic/claude', [BY_VARIABLE], 'api-key', 'ANTHROPIC_API_KEY is set'],
    ['github-copilot/gpt', [API_LOGIN, OAUTH_LOGIN], 'subscription', 'the oauth login'],
  ])('for %s with %o is billed by %s', async (model, logins, account, why) => {
    install({ logins });
    const found = await login(model);
    expect(found).toMatchObject({ problems: [], account });
    expect(found.notes[0]).toContain(why);
  });

  test('that only OpenCode’s own configuration knows has no known payer', async () => {
    install({ logins: [] });
    const found = await login('anthropic/claude');
    expect(found.problems).toEqual([]);
    expect(found).not.toHaveProperty('account');
    expect(found.notes).toEqual([
      expect.stringMatching(/pays for OpenCode is not known: .*anthropic/),
    ]);
  });

  test('that the profile does not accept is refused', async () => {
    install();
    const { codes } = await login('anthropic/claude', { billing: 'subscription' });
    expect(codes).toEqual(['AGENT_BILLING']);
  });

  test('is missing where the provider of the model is', async () => {
    install();
    expect((await login('openai/gpt')).codes).toEqual(['AGENT_NOT_LOGGED_IN']);
  });

  test('is there, and the model is not', async () => {
    install();
    const { problems } = await login('anthropic/nope');
    expect(problems).toMatchObject([
      { code: 'AGENT_MODEL_UNKNOWN', hint: expect.stringContaining('--refresh') },
    ]);
  });

  test('is missing where only free models of its vendor are left, which nobody asked for', async () => {
    install({ models: ['opencode/free'], logins: [] });
    expect((await login(undefined)).codes).toEqual(['AGENT_NOT_LOGGED_IN']);
  });

  test('is unknown where no model says which of several', async () => {
    install();
    const found = await login(undefined);
    expect(found.problems).toEqual([]);
    expect(found).not.toHaveProperty('account');
    expect(found.notes).toEqual([expect.stringContaining('the profile names no model')]);
  });

  test('is not asked for where nobody wants to know', async () => {
    install({ models: [] });
    expect((await preflight({ model: 'anthropic/claude' })).codes).toEqual([]);
  });
});

test('a model without its provider is no model', async () => {
  install();
  for (const model of ['sonnet', 'sonnet/', '/sonnet'])
    expect((await preflight({ model, checkLogin: true })).codes).toEqual(['AGENT_MODEL']);
});

describe('an effort', () => {
  const entry = (variants: object | undefined) =>
    JSON.stringify({ id: 'x', variants }, undefined, 2);
  const listing = (variants: object) =>
    `anthropic/other\n${entry({ huge: {} })}\nanthropic/claude\n${entry(variants)}\n`;
  const asked = { checkLogin: true, model: 'anthropic/claude', effort: 'hihg' };

  test.each([
    [{ low: {}, high: {} }, 'it has low, high'],
    [{}, 'it has none'],
  ])('that the model does not know would be left out: %o', async (variants, known) => {
    install({ verbose: listing(variants) });
    const { problems } = await preflight(asked);
    expect(problems).toMatchObject([
      {
        code: 'AGENT_EFFORT',
        message: expect.stringMatching(`hihg of anthropic/claude.*${known}`),
      },
    ]);
  });

  test('that the model knows is fine', async () => {
    install({ verbose: listing({ low: {}, high: {} }) });
    const { codes, notes } = await preflight({ ...asked, effort: 'high' });
    expect({ codes, notes }).toEqual({ codes: [], notes: [expect.stringContaining('bills by')] });
  });

  test.each([
    ['of a model that is not named', { ...asked, model: undefined }, listing({})],
    ['where the list cannot be read', asked, 'broken'],
    ['where the list ends early', asked, 'anthropic/claude\n{\n'],
    ['where the list names none', asked, `anthropic/claude\n${entry(undefined)}`],
  ])('%s is noted to be unknown', async (_, { model, ...more }, verbose) => {
    install({ verbose });
    const { codes, notes } = await preflight({ ...more, ...(model !== undefined && { model }) });
    expect(codes).toEqual([]);
    expect(notes.at(-1)).toMatch(/effort hihg is unknown/);
  });
});

test('a program that cannot be used is asked no more', async () => {
  program('echo "$*" >>"$0.asked"; exit 1');
  const { codes } = await preflight({ checkLogin: true, sessionId: 'ses_1' });
  expect(codes).toEqual(['AGENT_UNUSABLE']);
  const asked = readFileSync(path.join(directory, 'opencode.asked'), 'utf8').trim().split('\n');
  expect(asked.toSorted()).toEqual(['--version', 'run --help']);
});

describe('a session', () => {
  const continuing = (sessions: string) => {
    install({ sessions });
    return preflight({ sessionId: 'ses_1' });
  };

  test('that is there goes on', async () => {
    expect((await continuing('[{"id":"ses_2"},{"id":"ses_1"}]')).staleSession).toBeUndefined();
  });

  test.each(['[{"id":"ses_2"}]', ''])(
    'that is not among %o is not continued, and stands in nobody’s way',
    async (sessions) => {
      expect(await continuing(sessions)).toMatchObject({
        codes: [],
        staleSession: expect.stringContaining('ses_1'),
      });
    },
  );

  test('that was begun elsewhere would never end', async () => {
    const elsewhere = await continuing('[{"id":"ses_1","directory":"/elsewhere"}]');
    expect(elsewhere.staleSession).toContain('/elsewhere');
    const here = await continuing(`[{"id":"ses_1","directory":"${directory}"}]`);
    expect(here.staleSession).toBeUndefined();
  });

  test('of which nobody knows is noted', async () => {
    expect((await continuing('broken')).notes[0]).toContain('unknown');
  });
});

test('nothing is fetched, nothing is written into the profile, and a review asks as it will run', async () => {
  install();
  await preflight({ checkLogin: true, mode: 'review' });
  const asked = readFileSync(path.join(directory, 'opencode.asked'), 'utf8').trim().split('\n');
  expect(asked.filter((line) => line.startsWith('1 {') && line.endsWith(' 1'))).toHaveLength(2);
});

test('what only looks leaves no lock where the phase will wait for it', async () => {
  install();
  await preflight({ checkLogin: true, env: { XDG_STATE_HOME: '/state' } });
  const states = readFileSync(path.join(directory, 'opencode.states'), 'utf8').trim().split('\n');
  const own = states.filter((state) => state !== '/state');
  expect(own).toHaveLength(2);
  expect(own.filter((state) => existsSync(state))).toEqual([]);
});
