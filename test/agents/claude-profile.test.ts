/** What a profile asks for, with the real CLI in the pinned version, against a scripted model. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ExecRequest } from '@devflow/core/adapter';
import { type CaptureReading, readCapture } from '@devflow/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { binaryOf } from './agent-rig.ts';
import { type ModelServer, type Script, startModelServer } from '../model-server/server.ts';
import { claude } from '@devflow/adapter-claude';

const binary = binaryOf('claude');
const SERVER = fileURLToPath(new URL('mcp-server.js', import.meta.url));
const SECRET = 'not-to-be-written-anywhere';

describe('a profile of the real Claude Code', () => {
  let root: string;
  let server: ModelServer | undefined;

  beforeEach(() => {
    root = mkdtempSync('/var/tmp/devflow-test-claude-');
    for (const name of ['home', 'checkout', 'scratch']) mkdirSync(path.join(root, name));
  });
  afterEach(async () => {
    const ending = server?.close();
    server = undefined;
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    await ending; // rejects where the agent left the script
  });

  test('is heard: effort and instructions', async () => {
    const instructions = `THE-INSTRUCTIONS ${'x'.repeat(200_000)}`; // too long for an argument
    await run([{ text: 'ok' }], { effort: 'low', model: 'claude-opus-4-6', instructions });
    const body = server?.requests[0]?.body ?? '';
    expect(body).toContain('THE-INSTRUCTIONS');
    expect(JSON.parse(body)).toMatchObject({ output_config: { effort: 'low' } });
  });

  test.each([undefined, true] as const)(
    'has its say in a session that began with other instructions, copied: %s',
    async (fork) => {
      const first = await run([{ text: 'one' }], { instructions: 'FIRST-INSTRUCTIONS' });
      const sessionId = first.result.sessionId ?? '';
      await server?.close();
      const second = await run([{ text: 'two' }], {
        instructions: 'SECOND-INSTRUCTIONS',
        sessionId,
        ...(fork && { fork }),
      });
      const body = server?.requests[0]?.body;
      expect(body).toContain('"one"');
      expect(body).toContain('SECOND-INSTRUCTIONS');
      expect(body).not.toContain('FIRST-INSTRUCTIONS');
      expect(second.outcome).toBe('completed');
      expect(second.result.sessionId === sessionId).toBe(fork !== true);
      expect(second.result.costUsd).toBeCloseTo(first.result.costUsd ?? 0, 6);
    },
  );

  test('gives a review its tool servers, and writes no value of a variable', async () => {
    const { events, result } = await run(
      [
        {
          calls: [
            { tool: 'mcp__tools__secret_length', input: {} },
            { tool: 'Write', input: { file_path: 'x', content: 'x' }, unoffered: true },
          ],
        },
        { text: 'done' },
      ],
      {
        mode: 'review',
        mcp: {
          tools: {
            command: [process.execPath, SERVER],
            env: { PLAIN: 'plain' },
            envFrom: ['SECRET'],
          },
        },
      },
    );
    expect(result.denials).toBeUndefined();
    const ended = events.filter(({ ok }) => ok !== undefined);
    expect(ended.map(({ ok, detail }) => [ok, detail])).toEqual([
      [true, `length ${SECRET.length}, plain`],
      [false, expect.any(String)], // no Write
      [true, undefined],
    ]);
    expect(filesWith(SECRET)).toEqual([]);
    expect(filesWith('${SECRET}')).toContain('mcp.json');
  });

  test.each(['work', 'review'] as const)('has its answer by a schema in a %s', async (mode) => {
    const outputSchema = {
      type: 'object',
      properties: { size: { type: 'integer' } },
      required: ['size'],
    };
    const { result, outcome } = await run(
      [{ calls: [{ tool: 'StructuredOutput', input: { size: 3 } }] }],
      { mode, outputSchema },
    );
    expect(outcome).toBe('completed');
    expect(result.structuredOutput).toEqual({ size: 3 });
  });

  async function run(script: Script, more: Partial<ExecRequest>): Promise<CaptureReading> {
    server = await startModelServer(script);
    const adapter = claude().configure?.({ program: binary }) ?? claude();
    const request: ExecRequest = {
      phase: 1,
      mode: 'work',
      prompt: 'the prompt of the phase',
      cwd: path.join(root, 'checkout'),
      extraWritableRoots: [],
      confinedBy: 'devflow', // so it may be root here
      scratchDir: path.join(root, 'scratch'),
      ...more,
    };
    const { program, args, stdin, files = {} } = adapter.execCommand(request);
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(path.join(request.scratchDir, name), content);
    }
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: path.join(root, 'home'),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'not-a-key',
      SECRET,
      ...adapter.extraEnv?.(request),
    };
    const { cwd } = request;
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(stdin);
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const stdout = (await child.stdout.setEncoding('utf8').toArray()).join('');
    return readCapture(adapter, { stdout, status: (await ended) ?? 255 });
  }

  /** Names of the files, of all that were written, that hold a text. */
  function filesWith(text: string): string[] {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter(({ parentPath, name }) =>
        readFileSync(path.join(parentPath, name), 'utf8').includes(text),
      )
      .map(({ name }) => name);
  }
});
