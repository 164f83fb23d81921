import {
  type CliOptions,
  type Findings,
  type Probe,
  combine,
  inspectBilling,
  problem,
} from '@devflow/core/adapter';

import { inspectEffort } from './effort.js';
import type { Ask } from './preflight.js';

/** OpenCode's own provider, some models of which are free: it is there without any login. */
const FREE_PROVIDER = 'opencode';

/** Of `provider/model`; undefined where it is not of that form. */
export function providerOf(model: string): string | undefined {
  return /^([^/]+)\/./.exec(model)?.[1];
}

/** Whether the model is there and takes the effort, and who pays. Whether a key is good shows at the first call. */
export async function inspectLogin(
  { model, effort, checkLogin }: Probe,
  options: CliOptions,
  ask: Ask,
): Promise<Findings> {
  if (!checkLogin) return {};
  const models = await ask('models');
  if (models.status !== 0)
    return inspectBilling('OpenCode', undefined, '`opencode models` gives no answer', options);
  const known = models.stdout.split('\n').map((line) => line.trim());
  const logins = await ask('auth', 'list');
  const credentials = readCredentials(logins.stdout);
  if (model === undefined) return withoutModel(known, credentials, options, effort);
  const provider = providerOf(model);
  if (provider === undefined) return {}; // a problem of its own
  if (!known.some((name) => name.startsWith(`${provider}/`))) return notLoggedIn(provider);
  if (!known.includes(model)) return modelUnknown(model, provider);
  const { account, decidedBy } = payerOf(provider, credentials);
  return combine([
    inspectBilling('OpenCode', account, decidedBy, options),
    await inspectEffort(model, provider, effort, ask),
  ]);
}

function withoutModel(
  known: readonly string[],
  credentials: readonly Credential[],
  options: CliOptions,
  effort: string | undefined,
): Findings {
  const providers = new Set(
    known.filter((name) => name.includes('/')).map((name) => name.split('/', 1)[0]),
  );
  const isAnyLogin =
    credentials.length > 0 || [...providers].some((name) => name !== FREE_PROVIDER);
  // It would take a free model of its vendor's by itself, and send the work there unasked.
  if (!isAnyLogin) return notLoggedIn(undefined);
  const accounts = [...new Set(credentials.map(({ account }) => account))];
  const account = accounts.length === 1 ? accounts[0] : undefined;
  const words = `Whether the model that OpenCode takes knows the effort ${effort} is unknown: the profile names no model.`;
  return combine([
    inspectBilling('OpenCode', account, 'the profile names no model', options),
    effort === undefined ? {} : { notes: [words] },
  ]);
}

function notLoggedIn(provider: string | undefined): Findings {
  return problem(
    'AGENT_NOT_LOGGED_IN',
    provider === undefined
      ? 'OpenCode has no login and no provider of its own configuration.'
      : `OpenCode has no login for the provider ${provider}, and no such provider in its configuration.`,
    'Run `opencode auth login`, or pass on the provider’s key by `envFrom` of the profile.',
  );
}

function modelUnknown(model: string, provider: string): Findings {
  return problem(
    'AGENT_MODEL_UNKNOWN',
    `OpenCode knows no model ${model}.`,
    `\`opencode models ${provider}\` lists those it knows; \`opencode models --refresh\` fetches newer ones.`,
  );
}

interface Credential {
  /** The provider's name for people. */
  readonly name: string;
  readonly account: 'api-key' | 'subscription' | undefined;
  readonly decidedBy: string;
}

const KINDS: Readonly<Record<string, Credential['account']>> = {
  api: 'api-key',
  oauth: 'subscription',
};

/** Reads `opencode auth list`: below "Credentials" a name and its kind, below "Environment" a name and a variable. Both are drawn for a terminal. */
function readCredentials(drawn: string): readonly Credential[] {
  // oxlint-disable-next-line no-control-regex
  const lines = drawn.replaceAll(/\u001B\[[\d;]*m/g, '').split('\n');
  return lines.flatMap((line): Credential[] => {
    const [, name, value] = /^\W*●\s+(.+?)\s+(\S+)\s*$/u.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const account = Object.hasOwn(KINDS, value) ? KINDS[value] : undefined;
    if (account !== undefined)
      return [{ name, account, decidedBy: `the ${value} login of ${name}` }];
    if (!/^[A-Z][A-Z\d_]*$/.test(value))
      return [
        { name, account: undefined, decidedBy: `${name} has a login of the kind "${value}"` },
      ];
    return [{ name, account: 'api-key', decidedBy: `${value} is set` }];
  });
}

/** Logins come before variables, in the list and in what OpenCode does. */
function payerOf(provider: string, credentials: readonly Credential[]) {
  const found = credentials.find(({ name }) => plain(name) === plain(provider));
  const decidedBy = `the key of the provider ${provider} is in OpenCode's own configuration, if it has one`;
  return found ?? { account: undefined, decidedBy };
}

/** The list has names for people: "GitHub Copilot" is the provider `github-copilot`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z\d]/g, '');
}
