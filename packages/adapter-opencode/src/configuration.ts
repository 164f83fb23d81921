import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { ExecRequest, McpServer } from '@devflow/core/adapter';

import { watchdog } from './watchdog.js';

/** The agent of reviews. It is generated in the same configuration that names it, so that it is always there: for an unknown agent OpenCode takes its default one and exits with 0. */
export const REVIEW_AGENT = 'devflow-review';

/** All that a review may do. The last rule that matches decides, and what matches none of these is denied. */
const REVIEW_TOOLS = ['read', 'glob', 'grep', 'list'];

const INSTRUCTIONS = 'opencode/instructions.md';
const WATCHDOG = 'opencode/watchdog.js';

export interface Configuration {
  readonly [key: string]: unknown;
}

/**
 * The generated configuration. It may be seen in the environment by every tool: no secret is in it.
 * @param installs the variables that are only meant for the start of OpenCode
 */
export function configuration(request: ExecRequest, installs: readonly string[]): Configuration {
  const { mode, mcp, instructions, scratchDir } = request;
  const plugin = runsWatchdog(request) && [
    [pathToFileURL(path.join(scratchDir, WATCHDOG)).href, watchdogOptions(request, installs)],
  ];
  return {
    $schema: 'https://opencode.ai/config.json', // without it the text would be written back with one
    autoupdate: false,
    share: 'disabled',
    snapshot: false, // a second copy of the checkout at every step; devflow has git
    ...askingNobody(majorOf(request.agentVersion)),
    ...(plugin && { plugin }),
    ...(instructions !== undefined && { instructions: [path.join(scratchDir, INSTRUCTIONS)] }),
    ...(mcp !== undefined && { mcp: mcpServers(mcp) }),
    // Language servers and formatters can be programs of the checkout.
    ...(mode === 'review' && { agent: reviewAgent(request), lsp: false, formatter: false }),
  };
}

/** Tools that wait for an answer: `opencode run` denies them in a new session, but not in the copy of one. */
const ASKING = ['question', 'plan_enter', 'plan_exit'];

function askingNobody(major: number) {
  if (major >= 2) return { permissions: ASKING.map((tool) => rule(tool, 'deny')) };
  return { permission: Object.fromEntries(ASKING.map((tool) => [tool, 'deny'])) };
}

/** Files to write into the scratch directory, by relative path. */
export function generatedFiles(request: ExecRequest): Readonly<Record<string, string>> {
  return {
    ...(runsWatchdog(request) && { [WATCHDOG]: watchdog() }),
    ...(request.instructions !== undefined && { [INSTRUCTIONS]: request.instructions }),
  };
}

/** Version 2 runs no plugin that was written for version 1. An unknown version is taken for the checked one. */
function runsWatchdog({ agentVersion }: ExecRequest): boolean {
  return majorOf(agentVersion) < 2;
}

export function majorOf(version: string | undefined): number {
  return Number(/^\d+/.exec(version ?? '1')?.[0] ?? 1);
}

/** What the watchdog does at the start, when all configuration has been read. */
function watchdogOptions(request: ExecRequest, installs: readonly string[]) {
  const { mode, mcp } = request;
  const servers = mode === 'review' || mcp !== undefined ? Object.keys(mcp ?? {}) : undefined;
  return {
    forget: installs,
    ...(servers !== undefined && { servers }),
    ...(mode === 'review' && { agents: reviewAgent(request) }),
  };
}

function reviewAgent(request: ExecRequest) {
  const allowed = [...REVIEW_TOOLS, ...Object.keys(request.mcp ?? {}).map(toolsOf)];
  const permissions =
    majorOf(request.agentVersion) < 2
      ? {
          permission: {
            '*': 'deny',
            ...Object.fromEntries(allowed.map((tool) => [tool, 'allow'])),
          },
        }
      : { permissions: [rule('*', 'deny'), ...allowed.map((tool) => rule(tool, 'allow'))] };
  const description = 'Looks at work and changes nothing.';
  return { [REVIEW_AGENT]: { description, mode: 'primary', ...permissions } };
}

/** The form of version 2. */
function rule(action: string, effect: 'allow' | 'deny') {
  return { action, resource: '*', effect };
}

/** OpenCode names the tools of a server after it. */
function toolsOf(server: string): string {
  return `${server.replaceAll(/[^\w-]/g, '_')}_*`;
}

function mcpServers(servers: Readonly<Record<string, McpServer>>) {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      { ...mcpServer(server), enabled: true },
    ]),
  );
}

function mcpServer(server: McpServer) {
  if ('command' in server) {
    // It gets OpenCode's whole environment, with what `envFrom` names.
    return { type: 'local', command: server.command, environment: server.env ?? {} };
  }
  const { url, headers = {}, tokenFrom } = server;
  if (tokenFrom === undefined) return { type: 'remote', url, headers };
  const authorization = { Authorization: `Bearer {env:${tokenFrom}}` };
  return { type: 'remote', url, headers: { ...headers, ...authorization }, oauth: false };
}
