/**
 * The watchdog: a plugin that OpenCode loads into its own process. OpenCode tries a failed call of its
 * model again in silence, for as long as the server names, and prints nothing when a tool begins or when a
 * sub-agent works. The watchdog prints lines of devflow's own beside OpenCode's, on the same stdout, and
 * ends the process when trying again has no prospect. It gives the agent no tool. See ADR 16.
 */

/** Failed calls that are tried again before the watchdog gives up; devflow has retries of its own. */
const MAX_RETRIES = 3;
/** A longer wait is not waited for: it is the reset of a limit, and devflow waits for that without a process. */
const LONGEST_WAIT_MS = 60_000;
/** How much of a text is of interest: the summary of a tool's argument, the body of a refusal. */
const LONGEST_TEXT = 300;
const LONGEST_BODY = 2000;

/** The text of the plugin. Its options come from the configuration: names of variables to forget, of the tool servers to keep, agents to put last. */
export function watchdog(): string {
  return `const [MAX_RETRIES, LONGEST_WAIT_MS, LONGEST_TEXT, LONGEST_BODY] = ${JSON.stringify([MAX_RETRIES, LONGEST_WAIT_MS, LONGEST_TEXT, LONGEST_BODY])};
${PLUGIN}`;
}

const PLUGIN = String.raw`
const line = (type, fields) => JSON.stringify({ type: 'devflow.' + type, timestamp: Date.now(), ...fields }) + '\n';
const say = (type, fields) => process.stdout.write(line(type, fields));

export const Watchdog = async ({ client }, options = {}) => {
  for (const name of options.forget ?? []) delete process.env[name];
  const answers = watchFetch();
  let root;
  const isChild = (sessionID) => root !== undefined && sessionID !== root;
  return {
    config: async (config) => {
      for (const name of Object.keys(config.mcp ?? {})) {
        if (options.servers && !options.servers.includes(name)) delete config.mcp[name];
      }
      config.permission = askingNobody(config.permission);
      if (options.agents) config.agent = { ...config.agent, ...options.agents };
    },
    event: async ({ event: { type, properties } }) => {
      if (type === 'session.status') {
        if (root === undefined) void tellServers(client, properties.sessionID);
        root ??= properties.sessionID;
        if (properties.status.type === 'retry') onRetry(properties, answers.get(properties.sessionID));
      }
      const part = type === 'message.part.updated' ? properties.part : undefined;
      if (part?.type === 'step-finish' && isChild(part.sessionID)) {
        say('step', { sessionID: part.sessionID, part: { tokens: part.tokens, cost: part.cost } });
      }
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      say('tool', { sessionID, callID, tool, input: brief(args) });
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }) => {
      if (isChild(sessionID)) say('tool-end', { sessionID, callID, tool, input: brief(args) });
    },
  };
};

// Once, when the session begins: OpenCode works without a tool server that does not start, and prints nothing of it.
async function tellServers(client, sessionID) {
  try {
    const { data: servers, error } = await client.mcp.status();
    if (Object.keys(servers ?? { error }).length > 0) say('servers', { sessionID, servers, error });
  } catch (error) {
    say('servers', { sessionID, error: String(error) });
  }
}

// The last rule decides. A session that is continued in a copy has lost what 'opencode run' denies by itself.
function askingNobody(given = {}) {
  const { question, plan_enter, plan_exit, ...rules } = typeof given === 'string' ? { '*': given } : given;
  return { ...rules, question: 'deny', plan_enter: 'deny', plan_exit: 'deny' };
}

function onRetry({ sessionID, status }, answer) {
  const { attempt, message, next } = status;
  const fields = { sessionID, attempt, data: { message, ...answer }, next };
  if (attempt <= MAX_RETRIES && next - Date.now() <= LONGEST_WAIT_MS) return say('retry', fields);
  process.stdout.write(line('gave-up', fields), () => process.exit(1));
}

// Of each session the last answer of its model, where it was a refusal: a retry does not say why.
function watchFetch() {
  const answers = new Map();
  const plain = globalThis.fetch;
  const watched = async (input, init) => {
    const headers = new Headers(init?.headers ?? input?.headers);
    const session = headers.get('x-session-affinity') ?? headers.get('x-opencode-session');
    if (session) answers.delete(session);
    const response = await plain(input, init);
    if (session && response.status >= 400) {
      const answer = { statusCode: response.status, responseHeaders: limitsOf(response.headers) };
      answers.set(session, answer);
      response.clone().text().then((body) => (answer.responseBody = body.slice(0, LONGEST_BODY)), () => {});
    }
    return response;
  };
  globalThis.fetch = Object.assign(watched, plain);
  return answers;
}

function limitsOf(headers) {
  return Object.fromEntries([...headers].filter(([name]) => /^retry-after|ratelimit.*reset/.test(name)));
}

function brief(args) {
  const texts = Object.entries(args ?? {}).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts.map(([name, value]) => [name, value.slice(0, LONGEST_TEXT)]));
}
`;
