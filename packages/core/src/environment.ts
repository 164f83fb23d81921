import path from 'node:path';
import { type AgentAdapter, mcpVariables } from './adapter/index.js';
import { type Environment, agentGitEnvironment } from './git/git.js';
import { HELPER_VARIABLE } from './process/helpers.js';
import type { Profile } from './workflow/workflow.js';

/** What every command that devflow starts may see of the caller's environment; all else stays behind. */
const ALLOWED = [
  'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM', 'COLORTERM', 'TMPDIR',
  'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR',
  'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy',
  'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS',
  'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL',
]; // prettier-ignore

/** The ground of every environment that devflow gives. */
export function baseEnvironment(caller: Environment): Record<string, string> {
  const names = [...ALLOWED, ...Object.keys(caller).filter((name) => name.startsWith('LC_'))];
  return { ...pick(caller, names), ...agentGitEnvironment() };
}

/** The environment of a command that devflow runs for itself: known as that, should devflow die meanwhile. */
export function helperEnvironment(caller: Environment): Record<string, string> {
  return { ...baseEnvironment(caller), ...pick(caller, [HELPER_VARIABLE]) };
}

/** The agent's environment without what depends on one attempt. */
export function agentEnvironment(
  caller: Environment,
  adapter: AgentAdapter,
  profile: Profile | undefined,
): Record<string, string> {
  const base = baseEnvironment(caller);
  return {
    ...base,
    ...searchPath(base, adapter),
    ...pick(caller, passedVariables(adapter, profile)),
    ...profile?.env,
  };
}

/** The PATH, and after it where the package managers of the agent put its program. */
function searchPath(
  { PATH = '', HOME = '' }: Readonly<Record<string, string>>,
  adapter: AgentAdapter,
): Record<string, string> {
  const places = (adapter.searchPath ?? []).map((place) => place.replace(/^~(?=\/)/, HOME));
  if (places.length === 0) return {};
  return { PATH: [PATH, ...places].filter((place) => place !== '').join(path.delimiter) };
}

function passedVariables(
  adapter: Pick<AgentAdapter, 'envFrom'>,
  profile: Profile | undefined,
): string[] {
  return [...(adapter.envFrom ?? []), ...demandedVariables(profile)];
}

/** The names of the caller's variables that a profile passes on: all of them must be set. */
export function demandedVariables(profile: Profile | undefined): string[] {
  return [...new Set([...(profile?.envFrom ?? []), ...mcpVariables(profile?.mcp ?? {})])];
}

/** All that may decide whom an agent bills: where it keeps its login, and what is passed on to it by name. */
export function accountVariables(
  caller: Environment,
  adapter: AgentAdapter,
  profile: Profile | undefined,
): Record<string, string> {
  const homes = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'];
  return {
    ...pick(caller, [...homes, ...passedVariables(adapter, profile)]),
    ...profile?.env,
  };
}

/** Values that must not be shown: those of variables that a profile or an adapter passes on by name, and of names that speak of secrets. */
export function secretValues(
  caller: Environment,
  adapter: Pick<AgentAdapter, 'envFrom'>,
  profile: Profile | undefined,
): string[] {
  const passed = pick(caller, passedVariables(adapter, profile));
  const named = Object.entries({ ...passed, ...profile?.env }).filter(([name]) =>
    /TOKEN|KEY|SECRET|PASSWORD|CREDENTIAL|AUTH|HEADER|COOKIE/i.test(name),
  );
  return [
    ...demandedVariables(profile).map((name) => caller[name] ?? ''),
    ...named.map(([, value]) => value),
  ].filter((value) => value.length >= 8);
}

export function pick(from: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = from[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
