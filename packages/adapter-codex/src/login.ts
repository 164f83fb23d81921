import {
  type CliOptions,
  type Findings,
  type Probe,
  inspectBilling,
  oneLine,
  problem,
} from '@devflow/core/adapter';

import { ownProvider } from './provider.js';

const LABEL = 'Codex';

/** Codex reads files and variables only for it, and calls nobody: whether a key is good shows at the first call. */
export async function inspectLogin(probe: Probe, options: CliOptions): Promise<Findings> {
  if (!probe.checkLogin) return {};
  const provider = await ownProvider(probe, options);
  if (provider !== undefined) {
    const { id, keyFrom } = provider;
    if (keyFrom !== undefined && !probe.env[keyFrom]) {
      return problem(
        'AGENT_NOT_LOGGED_IN',
        `The model provider "${id}" of Codex takes its key from ${keyFrom}, which the agent does not get.`,
        `Set ${keyFrom}, and name it in \`envFrom\` of the profile.`,
      );
    }
    return inspectBilling(LABEL, 'provider', `model_provider is "${id}"`, options);
  }
  // `login status` does not look at it, and it outranks every login that is kept.
  if (probe.env['CODEX_API_KEY']) {
    return inspectBilling(LABEL, 'api-key', 'CODEX_API_KEY is set', options);
  }
  const { status, stdout, stderr } = await probe.ask(options.program, ['login', 'status']);
  const said = `${stdout}\n${stderr}`;
  const account = ACCOUNTS.find(([words]) => said.includes(words))?.[1];
  if (status === 0 && account !== undefined) {
    return inspectBilling(LABEL, account, 'the login that the CLI keeps', options);
  }
  if (status === 0) return inspectBilling(LABEL, undefined, oneLine(said), options);
  if (said.includes('Not logged in')) {
    return problem(
      'AGENT_NOT_LOGGED_IN',
      'Codex is not logged in.',
      'Run `codex login`, or set CODEX_API_KEY; OPENAI_API_KEY is not read by it.',
    );
  }
  return problem(
    'AGENT_NOT_LOGGED_IN',
    `codex login status fails: ${oneLine(said) || 'no answer'}`,
    'Run it by hand.',
  );
}

/** What `codex login status` says on stderr, and who pays then. */
const ACCOUNTS: readonly (readonly [string, string])[] = [
  ['API key configured', 'api-key'],
  ['Logged in using ChatGPT', 'subscription'],
  ['Logged in using access token', 'access-token'],
  ['Logged in using personal access token', 'access-token'],
];
