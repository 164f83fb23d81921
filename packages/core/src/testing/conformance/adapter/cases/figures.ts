import type { AgentResult, Usage } from '../../../../adapter/index.js';
import { type ConformanceCase, judged } from '../../case.js';
import {
  asOutput,
  linesOf,
  readAs,
  requireCaptures,
  whyNoCaptures,
  whyNoEvents,
  withoutFields,
} from '../captures.js';
import { configured } from '../place.js';
import { execRequestFor, wordsOfCommand } from '../request.js';
import type { AdapterSubject } from '../subject.js';

/** How streams call what was used. */
const FIGURES = /usage|token|cost/i;
const SESSIONS = /session|thread|conversation/i;
const KINDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;

export const usageReported: ConformanceCase<AdapterSubject> = {
  name: 'usage-reported',
  unsupported: (subject) => whyNoEvents(subject) ?? whyNoCaptures(subject),
  run({ subject, observe }) {
    const { success } = requireCaptures(subject);
    const { says } = success;
    const { result } = readAs(subject, success);
    const bare = asOutput(linesOf(success.stdout).map((line) => withoutFields(line, FIGURES)));
    const without = readAs(subject, { ...success, stdout: bare }).result;
    const { tokens, usd } = subject.adapter.capabilities.usage ?? {};
    observe(`stated: ${figures(result)}; with the figures taken out: ${figures(without)}`);
    return judged(
      [
        sameUsage(usageOf(result), says.usage)
          ? undefined
          : `the tokens are ${JSON.stringify(usageOf(result))}, the stream carries ${JSON.stringify(says.usage)}`,
        result.costUsd === says.costUsd
          ? undefined
          : `the cost is ${result.costUsd}, the stream carries ${says.costUsd}`,
        isEmpty(usageOf(without)) && without.costUsd === undefined
          ? undefined
          : 'figures are stated where the stream carries none',
        promised('tokens', tokens, !isEmpty(says.usage)),
        promised('usd', usd, says.costUsd !== undefined),
      ],
      says.usage === undefined && says.costUsd === undefined
        ? 'the stream carries no figures, and none is stated'
        : 'what the stream carries is stated, and nothing else',
    );
  },
};

function usageOf({ usage, sessionUsage }: AgentResult): Usage | undefined {
  return usage ?? sessionUsage;
}

function figures(result: AgentResult): string {
  return `tokens ${JSON.stringify(usageOf(result) ?? 'unknown')}, cost ${result.costUsd ?? 'unknown'}`;
}

function sameUsage(one: Usage | undefined, other: Usage | undefined): boolean {
  return KINDS.every((kind) => one?.[kind] === other?.[kind]);
}

function isEmpty(usage: Usage | undefined): boolean {
  return sameUsage(usage, undefined);
}

function promised(what: string, claim: string | undefined, carried: boolean): string | undefined {
  if (claim === undefined || (claim !== 'none') === carried) return undefined;
  return `it declares usage.${what} "${claim}", and its stream ${carried ? 'carries them' : 'carries none'}`;
}

export const sessionId: ConformanceCase<AdapterSubject> = {
  name: 'session-id',
  unsupported: (subject) =>
    subject.adapter.capabilities.continue === true
      ? (whyNoEvents(subject) ?? whyNoCaptures(subject))
      : 'it does not claim to continue sessions (capabilities.continue)',
  run({ subject, directory, observe }) {
    const { success } = requireCaptures(subject);
    const found = readAs(subject, success).result.sessionId;
    const bare = asOutput(linesOf(success.stdout).map((line) => withoutFields(line, SESSIONS)));
    const without = readAs(subject, { ...success, stdout: bare }).result.sessionId;
    observe(`session ${found ?? 'not found'}; with it taken out: ${without ?? 'not found'}`);
    const said = success.says.sessionId;
    return judged(
      [
        found !== undefined && found === said
          ? undefined
          : `the session is ${found}, the stream carries ${said}`,
        without === undefined ? undefined : 'a session is found where the stream carries none',
        ...notContinued(subject, directory),
      ],
      'the session is found, and a command that continues it names it',
    );
  },
};

function notContinued(subject: AdapterSubject, directory: string): (string | undefined)[] {
  const adapter = configured(subject);
  const { modes, fork } = adapter.capabilities;
  const id = 'c0ffee00-0000-4000-8000-000000000001';
  return modes.flatMap((mode) => {
    const words = (more: object) => wordsOfCommand(adapter, execRequestFor(directory, mode, more));
    const continued = words({ sessionId: id });
    const forked = words({ sessionId: id, fork: true });
    return [
      continued.some((word) => word.includes(id))
        ? undefined
        : `${mode}: the command that continues a session does not name it`,
      fork === true && forked.join('\0') === continued.join('\0')
        ? `${mode}: it claims fork, and forks by the same command by which it continues`
        : undefined,
    ];
  });
}
