import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { watchdog } from '../src/watchdog.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'devflow-watchdog-'));
  writeFileSync(path.join(directory, 'watchdog.mjs'), watchdog());
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the plugin as OpenCode does, in a process of its own: loads it, and calls its hooks. */
async function drive(script: string, options: object = {}) {
  const program = `
    import { Watchdog } from './watchdog.mjs';
    const client = { mcp: { status: async () => ({ data: servers }) } };
    let servers = {};
    const hooks = await Watchdog({ client }, ${JSON.stringify(options)});
    const status = (sessionID, status) => hooks.event({ event: { type: 'session.status', properties: { sessionID, status } } });
    const retry = (attempt, waitMs, sessionID = 'ses_1') => status(sessionID, { type: 'retry', attempt, message: 'busy', next: Date.now() + waitMs });
    const print = (value) => console.log(JSON.stringify({ print: value }));
    ${script}`;
  writeFileSync(path.join(directory, 'drive.mjs'), program);
  const env = { FORGOTTEN: 'x', KEPT: 'y' };
  return new Promise<{ status: number; lines: Record<string, unknown>[] }>((resolve) => {
    execFile(process.execPath, ['drive.mjs'], { cwd: directory, env }, (error, stdout) => {
      const status = error === null ? 0 : Number(error.code);
      const lines = stdout.trim().split('\n').filter(Boolean);
      resolve({ status, lines: lines.map((line) => JSON.parse(line)) });
    });
  });
}

const printed = (lines: Record<string, unknown>[]) => lines.at(-1)?.['print'];

describe('retries', () => {
  test('are told, and end the process after three', async () => {
    const { status, lines } = await drive(
      'for (const attempt of [1, 2, 3, 4]) await retry(attempt, 2000); await new Promise(() => setTimeout(() => {}, 5000));',
    );
    expect(lines.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['devflow.retry', 1],
      ['devflow.retry', 2],
      ['devflow.retry', 3],
      ['devflow.gave-up', 4],
    ]);
    expect(status).toBe(1);
  });

  test('are not waited for where the wait is long', async () => {
    const { status, lines } = await drive('await retry(1, 3_600_000);');
    expect(lines).toMatchObject([{ type: 'devflow.gave-up', data: { message: 'busy' } }]);
    expect(status).toBe(1);
  });

  test('carry the status and the limits of the session’s own last answer', async () => {
    const server = createServer((_, response) => {
      response.writeHead(429, { 'retry-after': '7', 'set-cookie': 'secret' }).end('{"error":{}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const ask = (session: string) =>
      `await (await fetch('http://127.0.0.1:${address.port}/', { headers: { '${session}': 'ses_1' } })).text();`;
    const { lines } = await drive(`
      ${ask('x-unrelated')} await retry(1, 0);
      ${ask('X-Session-Affinity')} await retry(2, 0);`);
    server.close();
    expect(lines[0]?.['data']).toEqual({ message: 'busy' });
    expect(lines[1]?.['data']).toMatchObject({
      statusCode: 429,
      responseHeaders: { 'retry-after': '7' },
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});

describe('tools', () => {
  const call = (session: string) => `{ tool: 'bash', sessionID: '${session}', callID: 'c1' }`;

  test('are told when they begin, long arguments cut', async () => {
    const { lines } = await drive(
      `await hooks['tool.execute.before'](${call('ses_1')}, { args: { command: 'x'.repeat(1000), timeout: 5 } });`,
    );
    expect(lines).toMatchObject([
      { type: 'devflow.tool', tool: 'bash', callID: 'c1', input: { command: 'x'.repeat(300) } },
    ]);
  });

  test('and steps of sub-agents are told when they end; OpenCode tells those of the agent itself', async () => {
    const step = (sessionID: string) =>
      `await hooks.event({ event: { type: 'message.part.updated', properties: { part: { type: 'step-finish', sessionID: '${sessionID}', cost: 1 } } } });`;
    const end = (session: string) =>
      `await hooks['tool.execute.after']({ ...${call(session)}, args: {} });`;
    const { lines } = await drive(
      `await status('ses_1', { type: 'busy' }); ${step('ses_1')} ${end('ses_1')} ${step('ses_2')} ${end('ses_2')}`,
    );
    expect(lines.map(({ type, sessionID }) => [type, sessionID])).toEqual([
      ['devflow.step', 'ses_2'],
      ['devflow.tool-end', 'ses_2'],
    ]);
  });
});

describe('the status of tool servers', () => {
  const begun = `await status('ses_1', { type: 'busy' }); await status('ses_2', { type: 'busy' });`;

  test('is told once, when the session begins', async () => {
    const { lines } = await drive(`servers = { one: { status: 'failed' } }; ${begun}`);
    expect(lines).toEqual([
      {
        type: 'devflow.servers',
        timestamp: expect.any(Number),
        sessionID: 'ses_1',
        servers: { one: { status: 'failed' } },
      },
    ]);
  });

  test('is not told where there are none', async () => {
    expect((await drive(begun)).lines).toEqual([]);
  });

  test.each([
    ["client.mcp.status = async () => ({ error: 'refused' });", 'refused'],
    ['delete client.mcp;', 'TypeError'],
  ])('that cannot be asked for is said to: %s', async (broken, error) => {
    const { lines, status } = await drive(`${broken} ${begun}`);
    expect(lines).toMatchObject([{ error: expect.stringContaining(error) }]);
    expect(status).toBe(0);
  });
});

describe('at the start', () => {
  const given = { mcp: { mine: {}, other: {} }, permission: { question: 'allow', '*': 'allow' } };
  const configure = (config: object) =>
    `const config = ${JSON.stringify(config)}; await hooks.config(config); print(config);`;

  test('tool servers that the phase does not name are taken away', async () => {
    const only = await drive(configure(given), { servers: ['mine'] });
    expect(printed(only.lines)).toMatchObject({ mcp: { mine: {} } });
    expect(printed(only.lines)).not.toHaveProperty('mcp.other');
    const all = await drive(configure(given));
    expect(printed(all.lines)).toHaveProperty('mcp.other');
  });

  test('no rule allows a question, whatever came last', async () => {
    for (const permission of [given.permission, 'allow', undefined]) {
      const { lines } = await drive(configure({ permission }));
      const rules = Object.entries((printed(lines) as typeof given).permission);
      expect(rules.slice(-3)).toEqual([
        ['question', 'deny'],
        ['plan_enter', 'deny'],
        ['plan_exit', 'deny'],
      ]);
    }
  });

  test('the agent of a review is the one of devflow, whatever else was configured', async () => {
    const agents = { reviewer: { permission: { '*': 'deny' } } };
    const planted = { agent: { reviewer: { permission: { 'b*': 'allow' } }, build: {} } };
    const { lines } = await drive(configure(planted), { agents });
    expect(printed(lines)).toMatchObject({ agent: { ...agents, build: {} } });
    expect(printed(lines)).not.toHaveProperty(['agent', 'reviewer', 'permission', 'b*']);
  });

  test('variables that were meant for the start only are forgotten', async () => {
    const { lines } = await drive('print(Object.keys(process.env));', { forget: ['FORGOTTEN'] });
    expect(printed(lines)).toContain('KEPT');
    expect(printed(lines)).not.toContain('FORGOTTEN');
  });
});
