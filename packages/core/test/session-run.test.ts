import { describe, expect, it } from 'vitest';
import { giveAnswer } from '../src/testing/index.js';
import { agent, reporting, start } from './reporting-agent.js';
import { outcomes } from './rig.js';

describe('a session', () => {
  it('that its agent no longer has is not continued, and that is said', async () => {
    const continued: (string | undefined)[] = [];
    const forgetful = agent('forgetful', '', {
      capabilities: { modes: ['work'], continue: true },
      execCommand({ sessionId, prompt }) {
        continued.push(sessionId);
        return { program: '/bin/sh', args: ['-c', giveAnswer()], stdin: prompt };
      },
      createParser: reporting({ turn: 'open', sessionId: 's-1' }),
      preflight: ({ sessionId }) =>
        Promise.resolve({
          problems: [],
          notes: [],
          ...(sessionId !== undefined && { staleSession: `the agent has no session ${sessionId}` }),
        }),
    });
    const used = await start([forgetful], {}, { agent: 'forgetful', retries: 1 });
    expect(outcomes(await used.result)).toEqual(['1 incomplete', '1 incomplete']);
    expect(continued.filter((session) => session !== undefined)).toEqual([]);
    expect(used.notes()).toContain('the agent has no session s-1; a new session is begun.');
  });
});

describe('an agent that states the sum of its session', () => {
  it('is charged with what each attempt added', async () => {
    let attempts = 0;
    const counting = agent('counting', giveAnswer(), {
      capabilities: { modes: ['work'], continue: true },
      createParser(clock) {
        attempts += 1;
        const sessionUsage = { inputTokens: attempts * 100, outputTokens: attempts * 10 };
        const turn = attempts === 1 ? 'open' : 'finished';
        return reporting({ turn, sessionId: 's-1', sessionUsage })(clock);
      },
    });
    const used = await start([counting], {}, { agent: 'counting', retries: 1 });
    const { attempts: all } = await used.result;
    expect(all.map(({ outcome, usage }) => [outcome, usage])).toEqual([
      ['incomplete', { inputTokens: 100, outputTokens: 10 }],
      ['no-change', { inputTokens: 100, outputTokens: 10 }],
    ]);
  });
});
