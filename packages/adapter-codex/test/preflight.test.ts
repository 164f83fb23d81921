import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Probe } from '@devflow/core/adapter';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { probeOf } from '../../../test/directory-probe.ts';
import { codex } from '../src/index.ts';

const HELP = '--json --color -s, --sandbox -c, --config -m, --model --output-schema --ignore-rules';
const NO_NAMESPACES =
  'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)';
const HOME_IN_TMP =
  'WARNING: proceeding, even though we could not create PATH aliases: Refusing to create helper binaries under temporary dir "/tmp" (codex_home: AbsolutePathBuf("/tmp/h"))';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'devflow-preflight-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What the program prints: exit status, stdout, stderr. */
type Said = readonly [status: number, stdout: string, stderr: string];

interface Stub {
  readonly version?: Said;
  readonly help?: Said;
  readonly sandbox?: Said;
  readonly login?: Said;
  readonly servers?: Said;
}

/** Puts a program into the directory that answers as the real one does, and notes what it was asked. */
function install({
  version = [0, 'codex-cli 0.171.0', ''],
  help = [0, HELP, ''],
  sandbox = [0, '', ''],
  login = [1, '', 'Not logged in'],
  servers = [0, '[]', ''],
}: Stub = {}): void {
  const say = ([status, stdout, stderr]: Said) =>
    `printf '%s' '${stdout}'; printf '%s' '${stderr}' >&2; exit ${status}`;
  const script = `#!/bin/sh
    echo "$@" >>${directory}/asked
    case "$*" in
      --version) ${say(version)} ;;
      'exec --help') ${say(help)} ;;
      'sandbox -c sandbox_mode='*' true') ${say(sandbox)} ;;
      'login status') ${say(login)} ;;
      'mcp list --json') ${say(servers)} ;;
      *) exit 9 ;;
    esac`;
  const file = path.join(directory, 'codex');
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}

function configure(toml: string, name = 'config.toml'): void {
  mkdirSync(path.join(directory, 'home'), { recursive: true });
  writeFileSync(path.join(directory, 'home', name), toml);
}

async function preflight(facts: Partial<Probe> = {}, options: Record<string, unknown> = {}) {
  const probe = probeOf(directory, {
    ...facts,
    env: { CODEX_HOME: path.join(directory, 'home'), ...facts.env },
  });
  const found = await codex().configure?.(options).preflight?.(probe);
  if (found === undefined) throw new Error('the adapter has no preflight');
  return { ...found, codes: found.problems.map(({ code }) => code) };
}

describe('the program', () => {
  test('of a checked version stands in nobody’s way', async () => {
    install();
    for (const mode of ['work', 'review'] as const) {
      const found = await preflight({ mode, confinedBy: 'own' });
      expect(found).toMatchObject({ problems: [], notes: [], version: '0.171.0' });
    }
  });

  test('that is missing comes with the command that installs it', async () => {
    const { problems } = await preflight({ confinedBy: 'own', checkLogin: true });
    expect(problems).toMatchObject([
      { code: 'AGENT_NOT_FOUND', hint: expect.stringContaining('npm install -g @openai/codex@') },
    ]);
  });

  test.each<[Stub, string[]]>([
    [{ version: [1, '', 'no binary'] }, ['AGENT_UNUSABLE']],
    [{ version: [0, 'codex-cli 0.80.0', ''] }, ['AGENT_TOO_OLD']],
    [{ help: [0, HELP.replace('--output-schema', ''), ''] }, ['AGENT_FLAG_UNKNOWN']],
  ])('%o is told', async (stub, codes) => {
    install(stub);
    expect((await preflight()).codes).toEqual(codes);
  });

  test('that is newer than the checked one is a note', async () => {
    install({ version: [0, 'codex-cli 0.180.0', ''] });
    const { problems, notes } = await preflight();
    expect(problems).toEqual([]);
    expect(notes.join()).toContain('newer than 0.171.0');
  });

  test('of a review gets no argument that could let it write', async () => {
    install();
    const options = { args: ['--add-dir', '/data', '-c', 'model="x"'] };
    const { problems } = await preflight({ mode: 'review' }, options);
    expect(problems).toMatchObject([
      { code: 'AGENT_ARGS_REVIEW', message: expect.stringContaining('--add-dir, -c') },
    ]);
    expect((await preflight({ mode: 'work' }, options)).problems).toEqual([]);
  });
});

describe('its own sandbox', () => {
  test.each<[string, Said, RegExp]>([
    ['without namespaces', [1, '', NO_NAMESPACES], /does not work here: bwrap: Creating new/],
    ['with its home in the temporary directory', [0, '', HOME_IN_TMP], /temporary directory/],
    ['that fails otherwise', [1, '', 'Error loading config.toml: x'], /true fails: Error loading/],
    ['that gives no answer', [1, '', ''], /fails: no answer/],
  ])('%s is a problem before anything is spent', async (_, sandbox, message) => {
    install({ sandbox });
    for (const facts of [{ confinedBy: 'own' }, { mode: 'review' }] as const) {
      const { problems } = await preflight(facts);
      expect(problems).toMatchObject([
        { code: 'AGENT_SANDBOX', message: expect.stringMatching(message) },
      ]);
    }
  });

  test.each([
    { mode: 'work', confinedBy: 'nobody' },
    { mode: 'work', confinedBy: 'devflow' },
    { mode: 'review', confinedBy: 'devflow' },
  ] as const)('is not asked for where it is not used: %o', async (facts) => {
    install({ sandbox: [1, '', NO_NAMESPACES] });
    expect((await preflight(facts)).problems).toEqual([]);
  });
});

describe('the login', () => {
  const asked = { checkLogin: true } as const;
  const CHATGPT: Said = [0, '', 'Logged in using ChatGPT'];

  test('is only looked at when it is asked for', async () => {
    install();
    expect((await preflight()).problems).toEqual([]);
    expect(readFileSync(path.join(directory, 'asked'), 'utf8')).toMatch(
      /^(?:--version|exec --help|\n){4}$/,
    );
    expect((await preflight(asked)).problems).toMatchObject([
      { code: 'AGENT_NOT_LOGGED_IN', hint: expect.stringContaining('codex login') },
    ]);
  });

  test.each<[Said, string]>([
    [CHATGPT, 'subscription'],
    [[0, '', 'API key configured - sk-test***67890'], 'api-key'],
    [[0, '', 'Logged in using access token'], 'access-token'],
  ])('%o is billed by %s', async (login, account) => {
    install({ login });
    const { problems, notes, ...found } = await preflight(asked);
    expect({ problems, account: found.account }).toEqual({ problems: [], account });
    expect(notes.join()).toContain(`bills by ${account}`);
  });

  test('of a kind that is new has no known payer', async () => {
    install({ login: [0, '', 'Logged in using something new'] });
    const { problems, notes, ...found } = await preflight(asked);
    expect(problems).toEqual([]);
    expect(found).not.toHaveProperty('account');
    expect(notes.join()).toContain('not known: Logged in using something new.');
  });

  test('by a variable outranks the one that is kept', async () => {
    install({ login: CHATGPT });
    const facts = { ...asked, env: { CODEX_API_KEY: 'k' } };
    expect((await preflight(facts)).account).toBe('api-key');
    expect((await preflight(facts, { billing: 'subscription' })).codes).toEqual(['AGENT_BILLING']);
    expect((await preflight(asked, { billing: 'subscription' })).codes).toEqual([]);
  });

  test('by OPENAI_API_KEY is none', async () => {
    install();
    const facts = { ...asked, env: { OPENAI_API_KEY: 'k' } };
    expect((await preflight(facts)).codes).toEqual(['AGENT_NOT_LOGGED_IN']);
  });

  test('that cannot be looked up is told in the words of the agent', async () => {
    install({ login: [1, '', 'Error checking login status: invalid JWT'] });
    expect((await preflight(asked)).problems).toMatchObject([
      { message: expect.stringContaining('invalid JWT') },
    ]);
  });
});

describe('a model provider of the user’s own', () => {
  const asked = { checkLogin: true } as const;
  const MINE = `# comment
model = "m"
model_provider = "mine"
[model_providers.other]
env_key = "OTHER_KEY"
[model_providers.mine]
base_url = "http://127.0.0.1:9/v1"
env_key = "MY_KEY"
[profiles.x]
model_provider = "openai"
`;

  test('takes its key from its own variable, which the agent must get', async () => {
    install();
    configure(MINE);
    expect((await preflight(asked)).problems).toMatchObject([
      {
        code: 'AGENT_NOT_LOGGED_IN',
        message: expect.stringContaining('MY_KEY'),
        hint: expect.stringContaining('envFrom'),
      },
    ]);
    const found = await preflight({ ...asked, env: { MY_KEY: 'k' } });
    expect(found).toMatchObject({ problems: [], account: 'provider' });
    const other = await preflight({ ...asked, env: { MY_KEY: 'k' } }, { billing: 'api-key' });
    expect(other.codes).toEqual(['AGENT_BILLING']);
  });

  test.each([
    [
      'the arguments',
      '',
      ['-c', 'model_provider="mine"', '-c', 'model_providers.mine.env_key="MY_KEY"'],
    ],
    [
      'the arguments, whole',
      '',
      ['-cmodel_provider=mine', '--config=model_providers.mine={env_key="MY_KEY"}'],
    ],
    [
      'a profile',
      'model_provider = "mine"\n[model_providers.mine]\nenv_key = "MY_KEY"',
      ['-p', 'work'],
    ],
    [
      'a profile, joined',
      'model_provider = "mine"\n[model_providers."mine"]\nenv_key = "MY_KEY"',
      ['--profile=work'],
    ],
  ])('is found in %s', async (_, toml, args) => {
    install();
    configure(toml, 'work.config.toml');
    expect((await preflight(asked, { args })).problems).toMatchObject([
      { message: expect.stringContaining('"mine" of Codex takes its key from MY_KEY') },
    ]);
  });

  test.each([
    ['none is named', ''],
    ['it is OpenAI', 'model_provider = "openai"'],
    ['it is of a section', '[profiles.x]\nmodel_provider = "mine"'],
    [
      'it needs the usual login',
      'model_provider = "mine"\n[model_providers.mine]\nrequires_openai_auth = true',
    ],
  ])('is none where %s', async (_, toml) => {
    install();
    configure(toml);
    expect((await preflight(asked)).problems).toMatchObject([
      { message: 'Codex is not logged in.' },
    ]);
  });

  test('that runs here needs no login', async () => {
    install();
    expect(await preflight(asked, { args: ['--oss'] })).toMatchObject({
      problems: [],
      account: 'provider',
    });
  });
});

describe('tool servers of the user’s own', () => {
  const LISTED = JSON.stringify([
    { name: 'docs', enabled: true },
    { name: 'off', enabled: false },
  ]);

  test('are told, since nothing keeps them out', async () => {
    install({ servers: [0, LISTED, ''], login: [0, '', 'Logged in using ChatGPT'] });
    const { notes } = await preflight({ checkLogin: true });
    expect(notes.filter((note) => note.includes('MCP'))).toEqual([
      expect.stringMatching(/starts the MCP servers .*: docs\.$/),
    ]);
  });

  test('that cannot be listed are no problem of their own', async () => {
    install({ servers: [1, 'not json', 'x'], login: [0, '', 'Logged in using ChatGPT'] });
    const { problems, notes } = await preflight({ checkLogin: true });
    expect(problems).toEqual([]);
    expect(notes).toHaveLength(1);
  });
});
