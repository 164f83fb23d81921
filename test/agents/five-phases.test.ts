import { expect, test } from 'vitest';
import { say, work } from '../model-server/scenarios.ts';
import type { ProtocolName } from '../model-server/request.ts';
import type { Step } from '../model-server/turns.ts';
import { answer, commit } from './cases.ts';
import { runAgent } from './agent-rig.ts';

/** What each agent's model says, in order: each speaks an API of its own. */
const MODELS: Readonly<Record<ProtocolName, readonly Step[]>> = {
  responses: [
    say(`The greeting says hello.\n\n${answer()}`),
    say(`It does what was asked.\n\n${answer({ verdict: 'pass' })}`),
  ],
  'chat-completions': [
    say(`Write one file.\n\n${answer()}`),
    work('The changelog.', commit('CHANGELOG.md')),
    say(`Ready to be merged.\n\n${answer()}`),
  ],
  messages: [work('The code.', commit('greeting.txt')), say(answer())],
};

test('five phases with three agents in one workflow', async () => {
  const asked = { responses: 0, 'chat-completions': 0, messages: 0 };
  const { result, server, repository } = await runAgent('claude', {
    task: 'Greet the world',
    phases: [
      { name: 'define', mode: 'review', agent: 'codex', prompt: 'Define: {{task}}' },
      { name: 'plan', mode: 'review', agent: 'opencode', prompt: 'Plan: {{phases.define.text}}' },
      { name: 'code', agent: 'claude', prompt: 'Code: {{phases.plan.text}}' },
      {
        name: 'validate',
        mode: 'review',
        agent: 'codex',
        prompt: 'Judge: {{run.diff}}',
        requires: ['answer', 'verdict'],
        onGaps: { goto: 'code', max: 1 },
      },
      { name: 'ship', agent: 'opencode', prompt: 'Ship {{run.branch}}.' },
    ],
    script({ protocol }) {
      const turn = MODELS[protocol][asked[protocol]];
      asked[protocol] += 1;
      if (turn === undefined) throw new Error(`no turn for ${protocol}`);
      return turn;
    },
  });
  expect(result.attempts.map(({ agent, outcome }) => `${agent} ${outcome}`)).toEqual([
    'codex completed',
    'opencode completed',
    'claude completed',
    'codex completed',
    'opencode completed',
  ]);
  expect(result.state).toBe('completed');
  expect(result.commits.map(({ subject }) => subject)).toEqual([
    'Add greeting.txt',
    'Add CHANGELOG.md',
  ]);
  expect(await repository.git('show', 'devflow/real/work:greeting.txt')).toBe('hello');
  const bodies = server.requests.map(({ protocol, body }) => [protocol, body] as const);
  const said = (protocol: ProtocolName, text: string) =>
    bodies.some(([by, body]) => by === protocol && body.includes(text));
  expect(said('chat-completions', 'The greeting says hello.')).toBe(true); // from phase to phase
  expect(said('messages', 'Write one file.')).toBe(true);
  expect(said('responses', '+hello')).toBe(true);
  expect(server.strays).toEqual([]);
});
