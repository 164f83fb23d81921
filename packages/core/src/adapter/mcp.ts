/** A tool server that the agent starts or reaches (Model Context Protocol). */
export type McpServer = LocalMcpServer | RemoteMcpServer;

export interface LocalMcpServer {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of variables of the agent's environment that it gets; no value is ever written to a file. */
  readonly envFrom?: readonly string[] | undefined;
}

export interface RemoteMcpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Name of the variable of the agent's environment that holds its bearer token. */
  readonly tokenFrom?: string | undefined;
}

/** The variables that the servers need of the agent's environment. */
export function mcpVariables(servers: Readonly<Record<string, McpServer>>): string[] {
  return Object.values(servers).flatMap((server) =>
    'command' in server
      ? (server.envFrom ?? [])
      : server.tokenFrom === undefined
        ? []
        : [server.tokenFrom],
  );
}
