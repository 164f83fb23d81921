import type { AgentAdapter, AgentCapabilities } from './contract.js';

/** What is expected of a member, or undefined where it is so. */
type Check = (value: unknown) => string | undefined;

const FLAGS = [
  'continue', 'fork', 'models', 'instructions', 'mcp', 'structuredOutput', 'ownSandbox',
] as const satisfies readonly (keyof AgentCapabilities)[]; // prettier-ignore

/** Every member of an adapter: the compiler asks for one that the contract gains. */
const MEMBERS: Readonly<Record<keyof Required<AgentAdapter>, Check>> = {
  name: (value) =>
    typeof value === 'string' && /^[a-z][a-z0-9-]*$/.test(value)
      ? undefined
      : 'a name of lower-case letters, digits and hyphens',
  capabilities: capabilitiesWanted,
  envFrom: optional(isWords, 'an array of texts'),
  searchPath: optional(isWords, 'an array of texts'),
  reviewHides: optional(isWords, 'an array of texts'),
  source: optional((value) => typeof value === 'object' && value !== null, 'an object'),
  configure: optional(isFunction, 'a function'),
  execCommand: wanted(isFunction, 'a function'),
  completionSignalDetected: wanted(isFunction, 'a function'),
  extraEnv: optional(isFunction, 'a function'),
  preflight: optional(isFunction, 'a function'),
  createParser: optional(isFunction, 'a function'),
  sandboxNeeds: optional(isFunction, 'a function'),
};

/** The members of an adapter. */
export const MEMBER_NAMES = Object.keys(MEMBERS) as (keyof AgentAdapter)[]; // its own keys

/** All that a value lacks of an adapter. */
export function shapeProblems(value: unknown): string[] {
  if (typeof value !== 'object' || value === null)
    return [`expected an adapter, found ${say(value)}`];
  const checks: [string, Check][] = [...Object.entries(MEMBERS), ['then', neverThere]];
  return checks.flatMap(([name, check]) => memberProblem(value, name, check) ?? []);
}

/** Members may be computed: what throws when it is read is no member either. */
function memberProblem(value: object, name: string, check: Check): string | undefined {
  try {
    const found = (value as Record<string, unknown>)[name];
    const expected = check(found);
    return expected === undefined
      ? undefined
      : `${name}: expected ${expected}, found ${say(found)}`;
  } catch (error) {
    return `${name}: cannot be read: ${sayThrown(error)}`;
  }
}

/** `await` would take an adapter that has a `then` for a promise. */
function neverThere(value: unknown): string | undefined {
  return value === undefined ? undefined : 'nothing';
}

function capabilitiesWanted(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'an object with modes';
  const { modes, effort, ...more } = value as Record<string, unknown>;
  if (!Array.isArray(modes) || modes.length === 0 || !modes.every(isMode))
    return 'modes: an array of "work" and "review"';
  const wrong = FLAGS.find((flag) => !['boolean', 'undefined'].includes(typeof more[flag]));
  if (wrong !== undefined) return `${wrong}: true or false`;
  if (!['boolean', 'undefined'].includes(typeof effort) && !isWords(effort))
    return 'effort: true, false, or an array of texts';
  return usageWanted(more['usage']);
}

function usageWanted(usage: unknown): string | undefined {
  if (usage === undefined) return undefined;
  const expected = 'usage: an object with tokens and usd, each "live", "at-end" or "none"';
  if (typeof usage !== 'object' || usage === null) return expected;
  const { tokens, usd } = usage as Record<string, unknown>;
  return [tokens, usd].every((value) => ['live', 'at-end', 'none'].includes(String(value)))
    ? undefined
    : expected;
}

function wanted(is: (value: unknown) => boolean, what: string): Check {
  return (value) => (is(value) ? undefined : what);
}

function optional(is: (value: unknown) => boolean, what: string): Check {
  return (value) => (value === undefined || is(value) ? undefined : `${what}, or nothing`);
}

function isMode(value: unknown): boolean {
  return value === 'work' || value === 'review';
}

function isWords(value: unknown): boolean {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function say(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  const text = safeJson(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value; // what JSON has no form for
  }
}

function sayThrown(error: unknown): string {
  try {
    return String(error).slice(0, 200);
  } catch {
    return 'something was thrown that has no words';
  }
}
