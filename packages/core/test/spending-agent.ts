import type { AgentAdapter, AgentResult, Fields } from '../src/adapter/index.js';
import { fields, number, readEntry, text } from '../src/adapter/index.js';

type Usage = NonNullable<AgentAdapter['capabilities']['usage']>;

/** An agent that is a shell script and states what it uses line by line; its script gets the session that it continues as $1. */
export function spender(script: string, usage: Usage, name = 'spender'): AgentAdapter {
  return {
    name,
    capabilities: { modes: ['work', 'review'], continue: true, usage },
    execCommand: ({ prompt, sessionId = '' }) => ({
      program: '/bin/sh',
      args: ['-c', script, 'sh', sessionId],
      stdin: prompt,
    }),
    completionSignalDetected: (output) => output.includes('"over":true'),
    createParser() {
      const entries: Fields[] = [];
      return {
        line(line) {
          entries.push(readEntry(line) ?? {});
          const state = line.includes('"over":true') ? 'turn_finished' : 'working';
          return [{ v: 1, kind: 'usage', name: 'used', summary: line, state, child: false }];
        },
        openCalls: () => 0,
        result: () => resultOf(entries, usage),
      };
    },
  };
}

export const LIVE: Usage = { tokens: 'live', usd: 'live' };
export const AT_END: Usage = { tokens: 'at-end', usd: 'at-end' };

/** A line of shell: the agent has used this much more. */
export const spend = (tokens: number, usd = 0) => `echo '${JSON.stringify({ tokens, usd })}'`;
/** A line of shell: the agent has used this much more, and its turn is over; it is said at once. */
export function finish(tokens: number, usd = 0, verdict?: 'pass' | 'gaps'): string {
  const answer = JSON.stringify({ status: 'success', ...(verdict && { verdict }) });
  const over = JSON.stringify({ over: true, text: `DEVFLOW_RESULT: ${answer}` });
  return `printf '%s\\n' '${JSON.stringify({ tokens, usd })}' '${over}'`;
}

function resultOf(entries: readonly Fields[], usage: Usage): AgentResult {
  const over = entries.find((entry) => entry['over'] === true);
  const used = entries.filter((entry) => fields(entry) && number(entry['tokens']) !== undefined);
  const sum = (key: string) => used.reduce((all, entry) => all + (number(entry[key]) ?? 0), 0);
  const states = (when: Usage['usd']) =>
    used.length > 0 && (when === 'live' || (when === 'at-end' && over !== undefined));
  const said = text(over?.['text']);
  return {
    turn: over === undefined ? 'open' : 'finished',
    sessionId: 's-1',
    ...(said !== undefined && { finalText: said }),
    ...(states(usage.tokens) && { usage: { inputTokens: sum('tokens'), outputTokens: 0 } }),
    ...(states(usage.usd) && { costUsd: sum('usd') }),
  };
}
