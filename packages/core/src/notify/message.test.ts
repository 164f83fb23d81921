import { describe, expect, it } from 'vitest';
import { redactor } from '../observe/redact.js';
import { EMPTY, type RunState, fold } from '../state/fold.js';
import type { RecordBody } from '../state/records.js';
import { resolveWorkflow } from '../workflow/workflow.js';
import { faultMessage, messageVariables, newsMessage, probeMessage } from './message.js';

const workflow = resolveWorkflow({ phases: [{ id: 2, name: 'code', prompt: 'x' }] }, '/');
const base = {
  definition: { id: 'add-flag', task: 'Add\na flag', branch: 'devflow/add-flag/work', workflow },
  root: '/home/me/project',
  redact: redactor(['secret-of-the-agent']),
};

function messageAfter(...bodies: readonly RecordBody[]) {
  const records = bodies.map((body, index) => ({
    v: 1 as const,
    seq: index + 1,
    at: 'now',
    ...body,
  }));
  const state: RunState = fold(records, EMPTY);
  if (state.news === undefined) throw new Error('there is no news');
  return newsMessage(base, state, state.news);
}

describe('a message', () => {
  it('about a gate says what is asked, where, and what to do', () => {
    const gate = { type: 'gate-opened', gate: 'g1', kind: 'before', phase: 2 } as const;
    expect(messageAfter({ ...gate, reason: 'phase 2 waits', message: 'Look at the plan' })).toEqual(
      {
        v: 1,
        event: 'gate',
        title: 'devflow: add-flag asks you',
        text: 'Look at the plan; phase 2 waits',
        run: 'add-flag',
        task: 'Add a flag',
        branch: 'devflow/add-flag/work',
        repository: '/home/me/project',
        phase: { id: 2, name: 'code' },
        gate: 'g1',
        next: 'devflow gates add-flag',
      },
    );
  });

  it('about a failed preflight says what was found, each problem', () => {
    const problem = (words: string) => ({ code: 'X', message: words, hint: 'h' });
    const long = problem(`${'long '.repeat(18)}secret-of-the-agent ${'long '.repeat(99)}`);
    const { text, next } = messageAfter(
      { type: 'preflight', phase: 2, problems: [long, problem('no disk')], notes: [] },
      { type: 'gate-opened', gate: 'g', kind: 'preflight', phase: 2, reason: 'found problems' },
    );
    expect(text).toMatch(/^found problems; long long .*…; no disk$/);
    expect(text).not.toContain('secret');
    expect(text.length).toBeLessThanOrEqual(300);
    expect(next).toBe('devflow resume add-flag');
  });

  it.each([
    [{ until: '2026-01-02T00:00:00Z' }, 'devflow resume --due'],
    [{}, 'devflow resume add-flag'],
  ])('about a wait says until when, where that is known: %j', (until, next) => {
    const waits = { type: 'run-waiting', for: 'reset', reason: 'a limit holds' } as const;
    expect(messageAfter({ ...waits, ...until })).toMatchObject({
      event: 'waiting',
      text: 'a limit holds',
      ...until,
      next,
    });
  });

  it.each(['completed', 'failed'] as const)('says that a run is %s', (state) => {
    expect(messageAfter({ type: 'run-ended', state, reason: 'so it is' })).toMatchObject({
      event: state,
      text: 'so it is',
      next: 'devflow status add-flag',
    });
  });

  it('is one line of at most 300 characters, and holds no NUL', () => {
    const reason = `a\0b\n${'x'.repeat(1_000)}`;
    const { text } = messageAfter({ type: 'run-ended', state: 'failed', reason });
    expect(text).toMatch(/^a b x+…$/);
    expect(text).toHaveLength(300);
  });

  it('holds nothing that steers a terminal or turns the direction of the text', () => {
    const reason = 'no \u001b[31mred\u202e txet';
    const { text } = messageAfter({ type: 'run-ended', state: 'failed', reason });
    expect(text).toBe('no red txet');
  });

  it('holds no secret', () => {
    const reason = 'the agent printed secret-of-the-agent';
    const { text } = messageAfter({ type: 'run-ended', state: 'failed', reason });
    expect(text).toBe('the agent printed [redacted]');
  });

  it('stands in variables, those that say nothing are empty', () => {
    const variables = messageVariables(probeMessage(base));
    expect(variables).toMatchObject({
      DEVFLOW_EVENT: 'probe',
      DEVFLOW_RUN_ID: 'add-flag',
      DEVFLOW_TASK: 'Add a flag',
      DEVFLOW_GATE: '',
    });
    expect(messageVariables(faultMessage(base, 'no disk'))).toMatchObject({
      DEVFLOW_EVENT: 'failed',
      DEVFLOW_TEXT: 'no disk',
      DEVFLOW_NEXT: 'devflow resume add-flag',
    });
  });
});
