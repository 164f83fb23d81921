import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { createProbe } from '../preflight/probe.js';
import type { Probe } from './contract.js';
import {
  type CliFacts,
  combine,
  inspectBilling,
  inspectProgram,
  inspectReviewArgs,
  problem,
} from './cli-preflight.js';

const FACTS: CliFacts = {
  label: 'The Agent',
  minimumVersion: '1.9.0',
  checkedVersion: '1.10.0',
  install: 'npm install -g the-agent',
  helpArgs: ['exec', '--help'],
  flags: ['--json', '--model'],
};
const HELP = '--json\n -m, --model <MODEL>';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-cli-preflight-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Stub {
  readonly version?: string;
  readonly help?: string;
  readonly status?: number;
}

/** Puts a program there that answers as an agent does. */
function install({ version = '1.10.0', help = HELP, status = 0 }: Stub = {}): void {
  const file = path.join(directory, 'the-agent');
  writeFileSync(
    file,
    `#!/bin/sh\ncase "$*" in\n--version) echo '${version}'; exit ${status} ;;\n'exec --help') echo '${help}' >&2 ;;\n*) exit 9 ;;\nesac\n`,
  );
  chmodSync(file, 0o755);
}

async function inspect(program = 'the-agent') {
  const found = await inspectProgram(probeHere(), program, FACTS);
  return { ...found, codes: found.problems.map(({ code }) => code) };
}

function probeHere(): Probe {
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  const facts = {
    cwd: directory,
    mode: 'work',
    confinedBy: 'nobody',
    env,
    checkLogin: false,
    asks: [],
  } as const;
  return createProbe(facts, directory);
}

describe('the program', () => {
  test('that is as it was checked has nothing against it', async () => {
    install();
    expect(await inspect()).toMatchObject({ problems: [], notes: [], version: '1.10.0' });
  });

  test('that is not there comes with how to get it', async () => {
    for (const [program, message] of [
      ['the-agent', 'the-agent is not in the PATH'],
      ['/nowhere/agent', '/nowhere/agent does not exist, or cannot be executed'],
    ] as const) {
      const { problems } = await inspect(program);
      const hint = expect.stringContaining('npm install -g the-agent');
      expect(problems).toEqual([{ code: 'AGENT_NOT_FOUND', message, hint }]);
    }
  });

  test.each([
    ['1.8.9', ['AGENT_TOO_OLD'], 0],
    ['1.9.0-rc.1', ['AGENT_TOO_OLD'], 0],
    ['1.9.0', [], 0],
    ['1.10.0-rc.1', [], 0],
    ['1.10.0-rc.1 (stable)', [], 0],
    ['v1.10.0,', [], 0],
    ['agent-cli 1.11.0', [], 1],
    ['1.10.1-rc.2', [], 1],
    ['10.0.0', [], 1],
    ['the first', ['AGENT_UNUSABLE'], 0],
    ['', ['AGENT_UNUSABLE'], 0],
  ])('of version %j', async (version, codes, notes) => {
    install({ version });
    const found = await inspect();
    expect(found.codes).toEqual(codes);
    expect(found.notes).toHaveLength(notes);
    expect(found.version).toBe(/\d+\.\d+\.\d+(-rc\.\d)?/.exec(version)?.[0]);
  });

  test('that fails to say its version cannot be used, whatever it prints', async () => {
    install({ status: 1 });
    expect((await inspect()).codes).toEqual(['AGENT_UNUSABLE']);
  });

  test('that prints nothing is said to', async () => {
    install({ version: '' });
    const { problems } = await inspect();
    expect(problems).toMatchObject([{ message: expect.stringMatching(/: it prints nothing$/) }]);
  });

  test('that hangs is said to, and is no stub', async () => {
    writeFileSync(path.join(directory, 'the-agent'), '#!/bin/sh\nsleep 600\n', { mode: 0o755 });
    const probe = probeHere();
    const ask: Probe['ask'] = (program, args, options) =>
      probe.ask(program, args, { ...options, timeoutMs: (options?.timeoutMs ?? 0) / 200 });
    const { problems } = await inspectProgram({ ...probe, ask }, 'the-agent', FACTS);
    expect(problems).toEqual([
      {
        code: 'AGENT_UNUSABLE',
        message: 'the-agent --version did not answer in 20 s, and was ended.',
        hint: expect.not.stringContaining('stub'),
      },
    ]);
  });

  test.each([
    ['', '--json, --model'],
    ['--json-lines --models', '--json, --model'],
    ['--json', '--model'],
  ])('whose help is %j lacks flags', async (help, missing) => {
    install({ help });
    const { problems } = await inspect();
    expect(problems).toMatchObject([
      { code: 'AGENT_FLAG_UNKNOWN', message: expect.stringMatching(`know ${missing}\\.$`) },
    ]);
  });
});

describe('who pays', () => {
  const options = { program: 'the-agent', args: [] };

  test('is said aloud', () => {
    const found = inspectBilling('The Agent', 'api-key', 'KEY is set', options);
    expect(found).toEqual({
      account: 'api-key',
      notes: ['The Agent bills by api-key (KEY is set).'],
    });
  });

  test('is said to be unknown where it is, and is refused where the profile accepts some only', () => {
    const asked = (more: { billing?: string } = {}) =>
      inspectBilling('The Agent', undefined, 'two keys are set', { ...options, ...more });
    const unknown = 'Which account pays for The Agent is not known: two keys are set.';
    expect(asked()).toEqual({ notes: [unknown] });
    expect(asked({ billing: 'api-key' }).problems).toEqual([
      {
        code: 'AGENT_BILLING',
        message: `${unknown} The profile accepts api-key only.`,
        hint: expect.any(String),
      },
    ]);
  });

  test('is refused where the profile accepts another only', () => {
    const accepts = (billing: string) =>
      inspectBilling('The Agent', 'api-key', 'KEY is set', { ...options, billing });
    expect(accepts('api-key').problems).toBeUndefined();
    expect(accepts('subscription')).toMatchObject({
      account: 'api-key',
      problems: [{ code: 'AGENT_BILLING', message: expect.stringContaining('KEY is set') }],
    });
  });
});

test('a review refuses what may give it something that writes', () => {
  const rules = { program: 'the-agent', owned: [], loosensReview: ['--mcp'], billing: [] };
  const inspectArgs = (mode: 'work' | 'review', args: string[]) => {
    const facts = {
      cwd: '/',
      mode,
      confinedBy: 'nobody',
      env: {},
      checkLogin: false,
      asks: [],
    } as const;
    return inspectReviewArgs(createProbe(facts, directory), { program: 'the-agent', args }, rules);
  };
  expect(inspectArgs('work', ['--mcp=x'])).toEqual({});
  expect(inspectArgs('review', ['--x'])).toEqual({});
  expect(inspectArgs('review', ['--mcp=x', '--mcp'])).toMatchObject({
    problems: [{ code: 'AGENT_ARGS_REVIEW', message: expect.stringContaining('--mcp=x, --mcp') }],
  });
});

test('parts are joined, and none is lost', () => {
  const joined = combine([
    problem('A', 'a', 'do a'),
    { notes: ['one'], version: '1.0.0' },
    {},
    { ...problem('B', 'b', 'do b'), notes: ['two'], account: 'api-key' },
  ]);
  expect(joined).toEqual({
    problems: [
      { code: 'A', message: 'a', hint: 'do a' },
      { code: 'B', message: 'b', hint: 'do b' },
    ],
    notes: ['one', 'two'],
    version: '1.0.0',
    account: 'api-key',
  });
});
