/** The real CLI in the pinned version, against a scripted model: `npm run agents:install` brings it. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { AgentEvent, AgentResult, ExecRequest } from '@devflow/core/adapter';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { binaryOf } from './agent-rig.ts';
import { type ModelServer, type Script, startModelServer } from '../model-server/server.ts';
import { CHECKED_VERSION, claude } from '@devflow/adapter-claude';
import { probeOf } from '../directory-probe.ts';

const binary = binaryOf('claude');
const MARKER = 'DEVFLOW_RESULT: {"status":"success"}';
// Not under /tmp, where sandboxes and agents have rules of their own.
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url));

describe(`Claude Code ${CHECKED_VERSION}`, () => {
  let root: string;
  let worktree: string;
  let server: ModelServer | undefined;

  beforeEach(() => {
    mkdirSync(CACHE, { recursive: true });
    root = mkdtempSync(path.join(CACHE, 'test-claude-'));
    worktree = path.join(root, 'worktree');
    mkdirSync(path.join(root, 'home'));
    git(root, 'init', '--quiet', '--initial-branch=main', 'repository');
    const repository = path.join(root, 'repository');
    git(repository, 'commit', '--quiet', '--allow-empty', '--message=Start');
    git(repository, 'worktree', 'add', '--quiet', '-b', 'work', worktree);
  });
  afterEach(async () => {
    const ending = server?.close();
    server = undefined;
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    await ending; // Rejects where the agent left the script.
  });

  test('works: writes, commits and ends its turn', async () => {
    const { events, result, status, signal } = await run(WORK, {});
    expect(status).toBe(0);
    expect(result).toMatchObject({
      turn: 'finished',
      finalText: expect.stringContaining(MARKER),
      usage: { inputTokens: 3000, outputTokens: 150, cacheReadTokens: 30, cacheWriteTokens: 300 },
    });
    expect(signal).toBe(true);
    expect(git(worktree, 'log', '--format=%s', 'main..')).toBe('Add a\n');
    expect(events.filter(({ running }) => !running).map(({ kind, ok }) => [kind, ok])).toEqual(
      expect.arrayContaining([
        ['edit', true],
        ['git', true],
        ['end', true],
      ]),
    );
    expect(server?.requests[0]?.body).toContain('the prompt of the phase');
    expect(server?.strays).toEqual([]);
  });

  test('cannot write in a review, whatever the model tries and the checkout has planted', async () => {
    const planted = path.join(root, 'planted');
    plantHook(worktree, planted);
    plantHook(path.join(root, 'home'), planted);
    const before = git(worktree, 'status', '--porcelain');
    const { result, events } = await run(
      [
        {
          calls: [
            { tool: 'Write', input: { file_path: file('a'), content: 'a' }, unoffered: true },
            { tool: 'Bash', input: { command: 'touch b' }, unoffered: true },
            {
              tool: 'Edit',
              input: { file_path: file('c'), old_string: '', new_string: 'c' },
              unoffered: true,
            },
          ],
        },
        { text: MARKER },
      ],
      { mode: 'review' },
    );
    expect(server?.requests[0]?.tools).toEqual(expect.arrayContaining(['Read', 'Grep', 'Glob']));
    for (const tool of ['Write', 'Edit', 'Bash', 'Agent', 'NotebookEdit']) {
      expect(server?.requests[0]?.tools).not.toContain(tool);
    }
    expect(events.filter(({ ok }) => ok === false)).toHaveLength(3);
    expect(git(worktree, 'status', '--porcelain')).toBe(before);
    expect(existsSync(planted)).toBe(false);
    expect(result.turn).toBe('finished');
  });

  test('a prompt that looks like a command of the CLI reaches the model', async () => {
    await run([{ text: MARKER }], { prompt: '/compact the module' });
    expect(server?.requests[0]?.body).toContain('Task: /compact the module');
  });

  test('a key that is refused is auth, after the bounded retries', async () => {
    const { result, status, signal } = await run(() => ({ status: 401 }), {});
    expect(status).toBe(1);
    expect(result).toMatchObject({ turn: 'failed', failure: { kind: 'auth' } });
    expect(signal).toBe(false);
    expect(server?.requests).toHaveLength(4);
  });

  test('continues a conversation, and states the cost of this attempt only', async () => {
    const first = await run([{ text: 'one' }], { model: 'claude-sonnet-5' });
    await server?.close();
    const sessionId = first.result.sessionId ?? '';
    const second = await run([{ text: 'two' }], { sessionId, model: 'claude-sonnet-5' });
    expect(second.result).toMatchObject({ turn: 'finished', sessionId, finalText: 'two' });
    expect(second.result.costUsd).toBeGreaterThan(0);
    expect(second.result.costUsd).toBeCloseTo(first.result.costUsd ?? 0, 6);
    expect(server?.requests[0]?.body).toContain('"one"');
    expect(server?.requests[0]?.model).toBe('claude-sonnet-5');
  });

  test('preflight finds nothing in the way, and spends nothing', async () => {
    server = await startModelServer([]);
    const asked = {
      env: environment(server.url),
      confinedBy: 'devflow',
      checkLogin: true,
    } as const;
    const adapter = claude().configure?.({ program: binary });
    for (const mode of ['work', 'review'] as const) {
      const found = await adapter?.preflight?.(probeOf(worktree, { ...asked, mode }));
      expect(found).toMatchObject({ problems: [], version: CHECKED_VERSION, account: 'api-key' });
    }
    expect([...server.requests, ...server.strays]).toEqual([]);
  });

  const WORK: Script = (request, index) => {
    const turns = [
      {
        text: 'First the file.',
        calls: [{ tool: 'Write', input: { file_path: file('a.txt'), content: 'a' } }],
      },
      {
        calls: [
          { tool: 'Bash', input: { command: 'git add -A && git commit --quiet -m "Add a"' } },
        ],
      },
      { text: `All done.\n\n${MARKER}` },
    ];
    return turns[index] ?? { status: 400, body: `no turn ${index} for ${request.path}` };
  };

  interface Attempt {
    readonly status: number | null;
    readonly events: readonly AgentEvent[];
    readonly result: AgentResult;
    readonly signal: boolean;
  }

  async function run(script: Script, more: Partial<ExecRequest>): Promise<Attempt> {
    server = await startModelServer(script);
    const adapter = claude().configure?.({ program: binary }) ?? claude();
    const request: ExecRequest = {
      phase: 1,
      mode: 'work',
      prompt: 'the prompt of the phase',
      cwd: worktree,
      extraWritableRoots: [],
      confinedBy: 'devflow', // so it may be root here
      scratchDir: root,
      ...more,
    };
    const { program, args, stdin } = adapter.execCommand(request);
    const env = { ...environment(server.url), ...adapter.extraEnv?.(request) };
    const child = spawn(program, args, { cwd: worktree, env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(stdin);
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const output = (await child.stdout.setEncoding('utf8').toArray()).join('');
    const parser = adapter.createParser?.({ now: () => new Date(), timeZone: 'UTC' });
    const events = output.split('\n').flatMap((line) => parser?.line(line) ?? []);
    const result = parser?.result() ?? { turn: 'open' };
    return {
      status: await ended,
      events,
      result,
      signal: adapter.completionSignalDetected(output),
    };
  }

  function environment(url: string): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: path.join(root, 'home'),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'not-a-key',
      ...AUTHOR,
    };
  }

  function file(name: string): string {
    return path.join(worktree, name);
  }
});

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_NOSYSTEM: '1',
};

function git(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: cwd, ...AUTHOR };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' });
}

/** Settings as an agent could leave them behind: a hook that shows when it ran. */
function plantHook(directory: string, trace: string): void {
  const hook = [{ hooks: [{ type: 'command', command: `touch ${trace}` }] }];
  const hooks = { SessionStart: hook, UserPromptSubmit: hook, Stop: hook };
  mkdirSync(path.join(directory, '.claude'), { recursive: true });
  const settings = path.join(directory, '.claude', 'settings.json');
  writeFileSync(settings, JSON.stringify({ hooks }));
  expect(readFileSync(settings, 'utf8')).toContain(trace);
}
