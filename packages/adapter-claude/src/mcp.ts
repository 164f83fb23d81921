import type { McpServer } from '@devflow/core/adapter';

type Servers = Readonly<Record<string, McpServer>>;

/**
 * The servers in the words of `--mcp-config`. Claude Code puts the values of its own environment in
 * place of `${NAME}`, so no value of a variable is ever written.
 */
export function mcpConfig(servers: Servers): string {
  const mcpServers = Object.entries(servers).map(([name, server]) => [name, entryOf(server)]);
  return `${JSON.stringify({ mcpServers: Object.fromEntries(mcpServers) }, undefined, 2)}\n`;
}

function entryOf(server: McpServer): object {
  if ('command' in server) {
    const [command, ...args] = server.command;
    const passed = (server.envFrom ?? []).map((name) => [name, valueOf(name)]);
    return { type: 'stdio', command, args, env: { ...server.env, ...Object.fromEntries(passed) } };
  }
  const { url, headers, tokenFrom } = server;
  const token = tokenFrom !== undefined && { Authorization: `Bearer ${valueOf(tokenFrom)}` };
  return { type: 'http', url, headers: { ...headers, ...token } };
}

function valueOf(variable: string): string {
  return `\${${variable}}`;
}

/** All tools of each server, in the words of `--allowedTools`. */
export function mcpTools(servers: Servers): string[] {
  return Object.keys(servers).map((name) => `mcp__${name.replaceAll(/[^\w-]/g, '_')}`);
}
