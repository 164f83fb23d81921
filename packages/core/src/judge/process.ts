import type { AgentResult } from '../adapter/index.js';
import { signalName } from '../process/signal-name.js';
import type { Outcome } from '../state/records.js';
import type { Finding, ProcessFacts } from './observation.js';

/** What the process itself says of the attempt, or what devflow did to it. */
export function judgeProcess(process: ProcessFacts, agent: AgentResult): Finding[] {
  const no = (outcome: Outcome, text: string): Finding[] => [
    {
      evidence: 'process',
      says: 'no',
      outcome,
      text: process.detail === undefined ? text : `${text}: ${process.detail}`,
    },
  ];
  if (process.end === 'not-started') return no('not-started', 'the agent could not be started');
  if (process.endedBy === 'stop') return no('stopped', 'the run was stopped');
  if (process.endedBy === 'fault')
    return no('stopped', 'devflow could not watch the agent any more, and ended it');
  // A quota stop that made the agent silent or slow is no time-out.
  const limit = limitOrLogin(agent);
  if (limit !== undefined) return [limit];
  if (wasWaitedFor(process) && agent.turn === 'finished') return [didNotExit(process)];
  // What the agent says of its failure explains more than the silence after it.
  const reported = wasWaitedFor(process) && agent.turn === 'failed' ? [reportedFailure(agent)] : [];
  if (process.endedBy === 'finished')
    return [...reported, ...no('incomplete', 'the agent went on when it was ended after its turn')];
  if (process.endedBy === 'time')
    return [...reported, ...no('timed-out', 'the time limit was reached')];
  if (process.endedBy === 'idle')
    return [...reported, ...no('idle', 'the agent was silent for too long')];
  if (process.endedBy === 'output') return no('over-budget', 'the agent printed too much');
  if (process.endedBy === 'budget') return no('over-budget', 'the agent was ended');
  if (process.endedBy === 'limit')
    return no('incomplete', 'the agent was ended while it waited for a limit');
  const { status } = process;
  if (process.end === 'lost' || status === undefined) {
    return [
      {
        evidence: 'process',
        says: 'unknown',
        outcome: 'crashed',
        text: 'the agent is gone and left no exit status',
      },
    ];
  }
  if (status > 128)
    return no('crashed', `the agent ended with exit ${status} or ${signalName(status - 128)}`);
  if (status !== 0) {
    const why = agent.failure?.message ?? process.detail;
    const text = `the agent ended with exit ${status}${why === undefined ? '' : `: ${why}`}`;
    return [{ evidence: 'process', says: 'no', outcome: 'failed', text }];
  }
  return [
    { evidence: 'process', says: 'yes', outcome: 'completed', text: 'the agent ended with exit 0' },
  ];
}

/** Ended because it took too long, to go on or to exit. */
function wasWaitedFor({ endedBy }: ProcessFacts): boolean {
  return endedBy === 'time' || endedBy === 'idle' || endedBy === 'finished';
}

/** The agent's terminal event tells how it ended; the status only that it was killed after that. */
function didNotExit({ endedBy }: ProcessFacts): Finding {
  const when =
    endedBy === 'time' ? ' at its time limit' : endedBy === 'idle' ? ' after a long silence' : '';
  const text = `the agent finished its turn and did not exit: it was ended${when}`;
  return { evidence: 'process', says: 'yes', outcome: 'completed', text };
}

export function reportedFailure({ failure }: AgentResult): Finding {
  const text = failure?.message ?? 'the agent reported that its turn failed';
  return { evidence: 'agent', says: 'no', outcome: 'failed', text };
}

function limitOrLogin({ failure }: AgentResult): Finding | undefined {
  if (failure === undefined || failure.kind === 'failed') return undefined;
  const until = failure.resetsAt === undefined ? '' : ` (until ${failure.resetsAt})`;
  return {
    evidence: 'agent',
    says: 'no',
    outcome: failure.kind,
    text: `${failure.message}${until}`,
  };
}

/** A limit or a missing login, the failure behind an exit status, and the one before a time-out. */
export function isSaidOfProcess({ failure, turn }: AgentResult, process: ProcessFacts): boolean {
  const { endedBy, status } = process;
  if (failure !== undefined && failure.kind !== 'failed') return true;
  if (wasWaitedFor(process)) return turn === 'failed';
  const byStatus = endedBy === undefined && status !== undefined && status > 0 && status <= 128;
  return failure !== undefined && byStatus;
}
