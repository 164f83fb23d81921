import { describe, expect, it } from 'vitest';
import {
  attempted,
  ended,
  entered,
  intended,
  journalOf,
  phaseOf,
  runEnded,
  skipped,
  started,
  waiting,
  workflowOf,
} from '../test/journal-of.js';
import { explain } from './explain.js';
import type { RunDefinition } from './state/definition.js';
import { fold } from './state/fold.js';
import { EVIDENCE } from './workflow/schema-phase.js';
import { type Decision, OUTCOMES, type Reason, type RecordBody } from './state/records.js';
import type { RunView } from './state/view.js';
import type { Phase } from './workflow/workflow.js';

function definitionOf(code: Partial<Phase>, range = { first: 1, last: 3 }): RunDefinition {
  return {
    v: 1,
    id: 'run',
    task: 'the task',
    workflow: workflowOf([phaseOf(1, 'plan'), phaseOf(2, 'code', code), phaseOf(3, 'review')]),
    range,
    base: { commit: 'base', asked: 'HEAD' },
    branch: 'devflow/run/work',
    worktrees: '/worktrees',
    stateDir: '/state',
    codeHashes: {},
  };
}

type Seen = Pick<RunView, 'state' | 'reason'>;
const failed: Seen = { state: 'failed', reason: 'phase 2 code rejected, no retries left' };
const running: Seen = { state: 'running', reason: 'agent works' };

function explained(bodies: RecordBody[], seen: Seen = running, code: Partial<Phase> = {}) {
  return explain(definitionOf(code), fold(journalOf(started, ...bodies)), seen);
}

const planned = [entered(1), ...attempted(1, 'completed')];
const no = (evidence: Reason['evidence'], text = 'it is so'): Reason => ({
  evidence,
  says: 'no',
  text,
});

const AFTER: Partial<Phase> = { gate: { when: 'after' } };
const APPROVE = (kind: string) =>
  `A person approves, ${kind} phase 2: \`devflow approve run\`; \`devflow gates run\` shows what is asked.`;
const opened: RecordBody = { type: 'gate-opened', gate: 'g', kind: 'after', phase: 2, reason: 'r' };
const decided = (decision: Decision, more: object = {}): RecordBody => ({
  type: 'gate-decided',
  gate: 'g',
  decision,
  by: 'person',
  ...more,
});

describe('a phase is explained', () => {
  it('as complete, by its grounds, and nothing would change it', () => {
    expect(explained(planned)[0]).toEqual({
      phase: { id: 1, name: 'plan' },
      standing: 'complete',
      why: ['Attempt 1, by agent, has all that the phase requires.'],
      reasons: [{ evidence: 'process', says: 'yes', text: 'it completed' }],
      change: [],
    });
  });

  it('as not complete: how its last attempt ended, what the run is, what would change it', () => {
    const checks = [
      {
        name: 'test',
        command: ['npm', 'test'],
        passed: false,
        ended: 'exit 1',
        output: '',
        durationMs: 1,
      },
    ];
    const reasons = [no('checks', 'check "test" failed (exit 1)')];
    const bodies = [
      ...planned,
      entered(2),
      intended(2),
      ended(2, 'rejected', 1, { checks, reasons }),
      runEnded('failed'),
    ];
    expect(explained(bodies, failed)[1]).toEqual({
      phase: { id: 2, name: 'code' },
      standing: 'not-complete',
      why: [
        'Attempt 1, by agent, ended as rejected.',
        'The run is failed: phase 2 code rejected, no retries left.',
      ],
      reasons,
      change: ['These checks pass: "test".', '`devflow resume run` makes another attempt.'],
    });
  });

  it('as not reached, with what comes before it', () => {
    const [, code, review] = explained([...planned, entered(2), intended(2)]);
    expect(code).toMatchObject({
      standing: 'under-way',
      why: ['Attempt 1, by agent, has no verdict yet.', 'The run is running: agent works.'],
      change: [
        'It ends with a finished turn, the answer "success", a commit that changes something, nothing left uncommitted.',
      ],
    });
    expect(review).toMatchObject({
      standing: 'not-reached',
      why: ['It has not begun.', 'The run is running: agent works.'],
      change: [expect.stringMatching(/^Phase 2 code is complete/)],
    });
    expect(explained([])[0]?.standing).toBe('not-reached');
  });

  it('as under way, with what the attempt before it came to', () => {
    const bodies = [entered(1), ...attempted(1, 'incomplete'), intended(1, 2)];
    const [plan] = explained(bodies);
    expect(plan?.standing).toBe('under-way');
    expect(plan?.why).toContain('Attempt 1, by agent, ended as incomplete before it.');
    expect(plan?.reasons).toHaveLength(1);
    expect(explained([entered(1)])[0]).toMatchObject({ standing: 'under-way', reasons: [] });
  });

  it('as interrupted, and then who picks it up', () => {
    const seen: Seen = { state: 'interrupted', reason: 'its devflow is gone' };
    const [plan] = explained([entered(1), intended(1)], seen);
    expect(plan?.change.at(-1)).toBe('`devflow resume run` picks it up.');
  });

  it('as to be done again, where the run went back to before it', () => {
    const back = entered(1, { because: 'phase 3 review found gaps: x', sentBackBy: 3 });
    const bodies = [
      ...planned,
      entered(2),
      ...attempted(2, 'completed'),
      entered(3),
      ...attempted(3, 'rejected'),
      back,
    ];
    const [plan, code, review] = explained(bodies);
    expect(plan?.standing).toBe('under-way');
    expect(code).toMatchObject({
      standing: 'not-reached',
      change: [expect.stringContaining('Phase 1 plan')],
    });
    expect(code?.why[0]).toBe(
      'It was complete, and then the run went back to phase 1 plan: phase 3 review found gaps: x.',
    );
    expect(review?.standing).toBe('not-complete');
  });

  it('as skipped, and why', () => {
    const [, code] = explained([...planned, skipped(2, { reason: 'there is no code' })]);
    expect(code).toMatchObject({
      standing: 'skipped',
      why: ['It was skipped: there is no code.'],
      change: [],
    });
  });

  it('as left out of what was asked for', () => {
    const definition = definitionOf({}, { first: 2, last: 2 });
    const standings = explain(definition, fold(journalOf(started)), running).map(
      ({ standing }) => standing,
    );
    expect(standings).toEqual(['left-out', 'not-reached', 'left-out']);
  });

  it.each([
    ['before', 'It has not begun.', APPROVE('before')],
    ['after', 'All that it requires is there.', APPROVE('after')],
    ['preflight', 'npm is missing.', 'Install npm.'],
  ] as const)('as waiting at a gate: %s', (kind, why, change) => {
    const problems = [{ code: 'X', message: 'npm is missing', hint: 'Install npm.' }];
    const done = kind === 'after' ? [entered(2), ...attempted(2, 'completed')] : [];
    const bodies: RecordBody[] = [
      ...planned,
      ...done,
      { type: 'preflight', phase: 2, problems, notes: [] },
      {
        type: 'gate-opened',
        gate: 'g',
        kind,
        phase: 2,
        reason: 'look at it',
        until: '2030-01-02T00:00:00Z',
        onTimeout: 'reject',
      },
    ];
    const [, code, review] = explained(bodies, { state: 'waiting', reason: 'look at it' });
    expect(review?.change[0]).toMatch(/^Phase 2 code is complete/);
    expect(review?.change.at(-1)).toContain('`devflow approve run`');
    expect(review?.change.at(-1)).not.toContain('tries at once');
    expect(code?.standing).toBe('waiting');
    expect(code?.why).toContain(why);
    expect(code?.why).toContain('It waits for a person: look at it.');
    expect(code?.change).toContain(change);
    expect(code?.change).toContain('Nobody answers until 2030-01-02T00:00:00Z: reject.');
  });

  it.each<[string, RecordBody[], string]>([
    ['was asked for and not given', [opened], 'nobody has answered yet'],
    ['was not asked for yet', [], 'nobody has answered yet'],
    ['was refused', [opened, decided('abort', { note: 'no' })], 'a person said abort, "no"'],
    ['came too late', [opened, decided('abort', { by: 'timeout' })], 'nobody answered in time'],
  ])('as not approved where a run ended and its approval %s', (_, bodies, why) => {
    const seen: Seen = { state: 'stopped', reason: 'it stopped' };
    const stopped = [...planned, entered(2), ...attempted(2, 'completed'), ...bodies];
    const code = explained([...stopped, runEnded('stopped')], seen, AFTER)[1];
    expect(code?.standing).toBe('not-approved');
    expect(code?.why.join(' ')).toContain('has all that the phase requires.');
    expect(code?.why.join(' ')).toContain(why);
    expect(code?.change).toEqual([
      'A person approves it.',
      '`devflow resume run` asks them again.',
    ]);
  });

  it('as not approved where a run ended because it was not to begin', () => {
    const before: RecordBody = {
      type: 'gate-opened',
      gate: 'g',
      kind: 'before',
      phase: 3,
      reason: 'look at it',
    };
    const done = [...planned, entered(2), ...attempted(2, 'completed')];
    const bodies = [...done, before, decided('abort'), runEnded('stopped')];
    const [, code, last] = explained(bodies, { state: 'stopped', reason: 'no' });
    expect(code?.standing).toBe('complete');
    expect(last).toMatchObject({
      standing: 'not-approved',
      why: [
        'It has not begun.',
        'It was not approved: a person said abort.',
        'The run is stopped: no.',
      ],
      change: ['A person approves that it begins.', '`devflow resume run` asks them again.'],
    });
  });

  it('as complete once it was approved', () => {
    const bodies = [...planned, entered(2), ...attempted(2, 'completed'), opened];
    const code = explained([...bodies, decided('approve')], running, AFTER)[1];
    expect(code).toMatchObject({ standing: 'complete', change: [] });
  });

  it('as waiting for a limit, which would change it', () => {
    const reasons = [no('agent', 'too much')];
    const limited = ended(1, 'rate-limited', 1, { reasons, resetsAt: '2030-01-02T00:00:00Z' });
    const [plan] = explained([entered(1), intended(1), limited, waiting()], {
      state: 'due',
      reason: 'a limit',
    });
    expect(plan?.change).toEqual([
      'The limit of the agent has ended, at 2030-01-02T00:00:00Z.',
      '`devflow resume --due` goes on.',
    ]);
  });
});

describe('what would change it', () => {
  const all: Partial<Phase> = {
    requires: [...EVIDENCE],
    changes: { must: ['src/**'], mustNot: ['test/**'] },
    files: ['docs/plan.md'],
    answer: {},
    checks: [{ name: 'test', command: ['npm', 'test'], timeoutMs: 1 }],
  };
  const changes = (
    reasons: Reason[],
    more: Parameters<typeof ended>[3] = {},
    code = all,
    outcome = 'incomplete' as const,
  ) => {
    const bodies = [entered(2), intended(2), ended(2, outcome, 1, { reasons, ...more })];
    return explained(bodies, running, code)[1]?.change;
  };

  // prettier-ignore
  it.each<[string, Reason['evidence'], string[]]>([
    ['a path', 'changes', ['A path that matches "src/**" changes.', 'No path that matches "test/**" changes.']],
    ['a file', 'files', ['docs/plan.md is a file, no link and no directory.']],
    ['checks that were not run', 'checks', ['These checks pass: "test".']],
    ['git', 'git', ['The branch devflow/run/work is checked out, and stands on what it stood on.', 'A commit on it changes something.', 'Nothing is left uncommitted.']],
    ['no answer', 'answer', ['The agent answers "success".', 'The output of the answer holds by the schema of the phase.', 'The verdict of the agent is "pass".']],
    ['its turn', 'agent', ['The agent ends its turn as it ends finished ones.']],
    ['its process', 'process', ['The agent ends with exit 0.']],
  ])('is said of %s', (_, evidence, sentences) => {
    expect(changes([no(evidence)])).toEqual(sentences);
  });

  it('names what is protected', () => {
    const protecting = { requires: [], protect: ['test/**'] };
    expect(changes([no('protected')], {}, protecting)).toEqual([
      'What is protected is as it was: test/**.',
    ]);
  });

  it('leaves out what the answer has', () => {
    const answer = { status: 'success', verdict: 'gaps' } as const;
    expect(changes([no('answer')], { answer }, { requires: ['answer', 'verdict'] })).toEqual([
      'The verdict of the agent is "pass".',
    ]);
  });

  it('is said once for each kind of evidence, and of none that says yes', () => {
    expect(changes([no('files'), no('files'), { ...no('agent'), says: 'yes' }])).toHaveLength(1);
  });

  it('is something for every outcome but that it is complete, whatever the evidence', () => {
    const kinds = [
      'process',
      'agent',
      'answer',
      'git',
      'protected',
      'changes',
      'files',
      'checks',
    ] as const;
    for (const outcome of OUTCOMES.filter((each) => each !== 'completed')) {
      for (const evidence of kinds) {
        const bodies = [entered(2), intended(2), ended(2, outcome, 1, { reasons: [no(evidence)] })];
        const found = explained(bodies, running, all)[1];
        expect([outcome, evidence, found?.standing, found?.change.length]).not.toContain(0);
        expect(found?.standing).toBe('not-complete');
      }
    }
  });
});
