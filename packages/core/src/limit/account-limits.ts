import { createHash } from 'node:crypto';
import type { Agent } from '../agents.js';
import { breakerState, closes, isPlausible, opened } from './breaker.js';
import type { RunContext } from '../context.js';
import { accountVariables } from '../environment.js';
import type { Environment } from '../git/git.js';
import { LONGEST_WAIT_MS } from './limit-end.js';
import { readLimit, removeLimit, writeLimit } from '../state/limits-store.js';

/**
 * Names whom an agent bills, for all runs of this user: a hash of all that decides it. Another key, another home and
 * another model are other limits. Undefined where its preflight names no account: that is known to its run alone.
 */
export function accountKey(
  caller: Environment,
  { adapter, profile, model }: Pick<Agent, 'adapter' | 'profile' | 'model'>,
  account: string | undefined,
): string | undefined {
  if (account === undefined) return undefined;
  const decides = [adapter.name, account, model, profile?.options];
  const variables = Object.entries(accountVariables(caller, adapter, profile)).toSorted(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  const text = JSON.stringify([...decides, variables]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** What another run has learned of an account. */
export interface LearnedLimit {
  /** It is not to be asked before that; undefined where that is not known. */
  readonly until?: string;
  /** In words. */
  readonly says: string;
}

/** The limit of an account, where it still holds; and what cannot be read of it, in words. */
export function learnedLimit(stateDir: string, key: string): LearnedLimit | undefined {
  const stored = readLimit(stateDir, key);
  if (stored === undefined) return undefined;
  const now = Date.now();
  if ('unreadable' in stored)
    return {
      says: `what is known of its limits cannot be read, and is left out: ${stored.unreadable}`,
    };
  const { breaker } = stored;
  if (!isPlausible(breaker, now)) {
    return {
      says: `its limit was noted at ${breaker.openedAt}, which the clock has not reached, and is left out`,
    };
  }
  if (breakerState(breaker, now) === 'half-open') return undefined;
  const until = new Date(Math.min(Date.parse(breaker.until), now + LONGEST_WAIT_MS)).toISOString();
  const { account, adapter, run, repository } = breaker;
  return {
    until,
    says:
      `its account (${account} of ${adapter}) has reached a limit until ${until}, as the run "${run}" ` +
      `in ${repository} learned; \`devflow limits clear ${key}\` lets it be asked`,
  };
}

/** What an attempt says of its account goes to all runs. What cannot be written is told: the journal has it, and this run goes by that. */
export function tellAccount(context: RunContext, agent: Agent): void {
  const { definition, log, repository } = context;
  const { account, accountKey: key } = log.state.lastPreflight ?? {};
  const attempt = log.state.visits.at(-1)?.attempts.at(-1);
  if (account === undefined || key === undefined || attempt?.ended === undefined) return;
  const { startedAt, ended } = attempt;
  try {
    const stored = readLimit(definition.stateDir, key);
    const before = stored !== undefined && 'breaker' in stored ? stored.breaker : undefined;
    if (ended.outcome !== 'rate-limited') {
      if (before !== undefined && closes(before, ended.outcome, startedAt))
        removeLimit(definition.stateDir, key);
      return;
    }
    const breaker = opened(
      before !== undefined && isPlausible(before, Date.now()) ? before : undefined,
      {
        adapter: agent.adapter.name,
        account,
        agent: agent.name,
        ...(agent.model !== undefined && { model: agent.model }),
        run: definition.id,
        repository: repository.root,
        startedAt,
        at: Date.parse(startedAt) + ended.durationMs,
        ...(ended.resetsAt !== undefined && { resetsAt: ended.resetsAt }),
      },
    );
    writeLimit(definition.stateDir, key, breaker);
  } catch (error) {
    const why = (error as Error).message;
    context.emit({
      type: 'note',
      text: `other runs do not learn what came of the account of ${agent.name}: ${why}`,
    });
  }
}
