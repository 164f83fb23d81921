import { expect, test } from 'vitest';

import { type Tools, ask, withServer } from './client.ts';
import type { ModelRequest, ProtocolName } from './request.ts';
import { call, say, shell, structured, writeFile } from './scenarios.ts';
import { startModelServer } from './server.ts';
import type { Call, ToolCall } from './turns.ts';

const TEXT = { type: 'string' };
const CLAUDE: Tools = {
  Bash: { command: TEXT, description: TEXT },
  Write: { file_path: TEXT, content: TEXT },
};
const OPENCODE: Tools = { bash: { command: TEXT }, write: { filePath: TEXT, content: TEXT } };
const CODEX: Tools = { exec_command: { cmd: TEXT, yield_time_ms: { type: 'number' } } };

test.each<readonly [string, ProtocolName, Tools, object]>([
  ['Claude Code', 'messages', CLAUDE, { command: 'ls', description: 'Run a command' }],
  ['OpenCode', 'chat-completions', OPENCODE, { command: 'ls' }],
  ['Codex', 'responses', CODEX, { cmd: 'ls', yield_time_ms: 30_000 }],
  ['an older Codex', 'responses', { shell_command: { command: TEXT } }, { command: 'ls' }],
  [
    'a still older Codex',
    'responses',
    { shell: { command: { type: 'array' } } },
    { command: ['bash', '-lc', 'ls'] },
  ],
])('a shell command in the form of %s', (_, protocol, tools, input) => {
  expect(made(shell('ls'), protocol, tools)).toEqual({ tool: Object.keys(tools)[0], input });
});

test('a shell command with arguments of the agent', () => {
  const { input } = made(shell('ls', { more: { timeout: 5 } }), 'messages', CLAUDE);
  expect(input).toMatchObject({ command: 'ls', timeout: 5 });
});

test.each<readonly [ProtocolName, string]>([
  ['messages', 'Bash'],
  ['responses', 'exec_command'],
  ['chat-completions', 'bash'],
])('a shell can be called in %s although none is offered', (protocol, tool) => {
  const offered: Tools = { Read: {} };
  expect(made(shell('ls', { unoffered: true }), protocol, offered)).toMatchObject({
    tool,
    unoffered: true,
  });
});

test.each<readonly [string, ProtocolName, Tools, object]>([
  ['Claude Code', 'messages', CLAUDE, { tool: 'Write', input: { file_path: '/a', content: 'x' } }],
  [
    'OpenCode',
    'chat-completions',
    OPENCODE,
    { tool: 'write', input: { filePath: '/a', content: 'x' } },
  ],
  ['Codex', 'responses', CODEX, { tool: 'exec_command' }],
])('a file is written in the form of %s', (_, protocol, tools, expected) => {
  expect(made(writeFile('/a', 'x'), protocol, tools)).toMatchObject(expected);
});

test('a file is written with a patch where that is a tool and the content can be one', () => {
  const write = (content: string) => writeFile('a', content);
  const request = requestOf('responses', CODEX);
  const offered = [...request.offered, { name: 'apply_patch', freeform: true } as const];
  const patching = { ...request, offered, tools: offered.map(({ name }) => name) };
  expect(resolved(write('x\ny\n'), patching)).toEqual({
    tool: 'apply_patch',
    input: '*** Begin Patch\n*** Add File: a\n+x\n+y\n*** End Patch\n',
  });
  expect(resolved(write('no newline'), patching)).toMatchObject({ tool: 'exec_command' });
});

test('a file with quotes survives the shell', () => {
  const { input } = made(writeFile('a', "it's"), 'responses', CODEX);
  expect(input).toMatchObject({ cmd: expect.stringContaining(String.raw`'it'\''s'`) });
});

test('a file can be written although no tool for it is offered', () => {
  const write = writeFile('a', 'x', { unoffered: true });
  expect(made(write, 'messages', { Read: {} })).toMatchObject({ tool: 'Write', unoffered: true });
});

test('a shell that is not offered fails the test', async () => {
  const server = await startModelServer([call(shell('ls'))]);
  expect((await ask(server, 'messages', { tools: { Read: {} } })).status).toBe(400);
  await expect(server.close()).rejects.toThrow('a shell is not offered; offered: Read');
});

test('twenty calls over as many turns', () =>
  withServer(
    [...Array.from({ length: 20 }, (_, n) => call(shell(`echo ${n}`))), say('done')],
    async (server) => {
      for (const n of Array.from({ length: 20 }).keys()) {
        expect(await (await ask(server, 'messages')).text()).toContain(`echo ${n}`);
      }
      expect(await (await ask(server, 'messages')).text()).toContain('done');
    },
  ));

test('an answer for a schema goes to the tool for it, or is a text that is JSON', () => {
  const step = structured({ a: 'b' });
  const answer = (protocol: ProtocolName, tools: Tools) =>
    typeof step === 'function' ? step(requestOf(protocol, tools)) : step;
  expect(answer('messages', { StructuredOutput: {} })).toEqual({
    calls: [{ tool: 'StructuredOutput', input: { a: 'b' } }],
  });
  expect(answer('responses', CODEX)).toEqual({ text: '{"a":"b"}' });
});

function made(wanted: Call, protocol: ProtocolName, tools: Tools): ToolCall {
  return resolved(wanted, requestOf(protocol, tools));
}

function resolved(wanted: Call, request: ModelRequest): ToolCall {
  return typeof wanted === 'function' ? wanted(request) : wanted;
}

function requestOf(protocol: ProtocolName, tools: Tools): ModelRequest {
  const offered = Object.entries(tools).map(([name, properties]) => ({
    name,
    schema: { type: 'object', properties },
  }));
  const common = { model: 'm', stream: true, path: '/', headers: {}, body: '' };
  return { ...common, protocol, offered, tools: Object.keys(tools) };
}
