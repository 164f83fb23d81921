import { describe, expect, it } from 'vitest';
import {
  attempted,
  entered,
  intended,
  journalOf,
  phaseOf,
  resumed,
  runEnded,
  started,
  waiting,
  workflowOf,
} from '../../test/journal-of.js';
import type { RunDefinition } from './definition.js';
import { fold } from './fold.js';
import type { HolderState } from './lock.js';
import type { RecordBody } from './records.js';
import { type ViewState, view } from './view.js';

const definition: RunDefinition = {
  v: 1,
  id: 'run',
  task: 'the task',
  workflow: workflowOf([phaseOf(1, 'plan'), phaseOf(2, 'code')]),
  range: { first: 1, last: 2 },
  base: { commit: 'base', asked: 'HEAD' },
  branch: 'devflow/run/work',
  worktrees: '/worktrees',
  stateDir: '/state',
  codeHashes: {},
};
const now = new Date('2030-01-01T12:00:00Z');
const seen = (holder: HolderState | undefined, ...bodies: RecordBody[]) =>
  view(
    definition,
    fold(journalOf(started, ...bodies)),
    holder && { pid: 7, host: 'far', state: holder },
    now,
  );

const past = waiting({ until: '2030-01-01T11:59:59Z' });
const future = waiting({ until: '2030-01-01T12:00:01Z' });
const open = [entered(1), intended(1)];

describe('a run is shown as', () => {
  // prettier-ignore
  const cases: [state: ViewState, where: string, holder: HolderState | undefined, bodies: RecordBody[]][] = [
    ['running', 'its holder lives', 'alive', open],
    ['running', 'its holder is on another host, where nobody can tell', 'foreign', open],
    ['running', 'its holder lives and waits no more', 'alive', [waiting(), resumed]],
    ['waiting', 'its holder lives and waits for an instant', 'alive', [future]],
    ['waiting', 'its holder lives and its instant has just come', 'alive', [past]],
    ['waiting', 'its holder has just written that it waits for a person', 'alive', [waiting({ for: 'login' })]],
    ['waiting', 'its holder waits on another host', 'foreign', [past]],
    ['waiting', 'its holder died while it waited', 'dead', [future]],
    ['interrupted', 'its holder is dead', 'dead', open],
    ['interrupted', 'nobody holds it and it says neither that it ended nor that it waits', undefined, open],
    ['waiting', 'it waits for a person', undefined, [waiting({ for: 'login' })]],
    ['waiting', 'it waits for an instant that has not come', undefined, [future]],
    ['waiting', 'its instant is none', undefined, [waiting({ until: 'soon' })]],
    ['due', 'its instant has passed and nobody runs it', undefined, [past]],
    ['due', 'its instant has come', undefined, [waiting({ until: now.toISOString() })]],
    ['due', 'its instant has passed and its holder is dead', 'dead', [past]],
    ['completed', 'it is completed', undefined, [runEnded('completed')]],
    ['failed', 'it has failed', undefined, [runEnded('failed')]],
    ['stopped', 'it was stopped, although its holder still lives', 'alive', [runEnded('stopped')]],
    ['interrupted', 'it was resumed after its end and its holder died', 'dead', [runEnded('failed'), resumed]],
  ];

  it.each(cases)('%s where %s', (state, _, holder, bodies) => {
    expect(seen(holder, ...bodies).state).toBe(state);
  });
});

describe('a view', () => {
  it('has the phase and the attempt it is in, and who works', () => {
    expect(seen('alive', ...open)).toEqual({
      id: 'run',
      state: 'running',
      agentLives: false,
      reason: 'agent works',
      task: 'the task',
      branch: 'devflow/run/work',
      startedAt: '2030-01-01T00:00:00.000Z',
      endedAt: undefined,
      skipped: [],
      phase: { id: 1, name: 'plan' },
      attempt: 1,
      heldBy: 7,
    });
    expect(seen('alive', entered(1), ...attempted(1, 'failed')).reason).toBe('between attempts');
  });

  it('says why, when it ended, and until when it waits', () => {
    expect(seen(undefined, runEnded('failed', 'no retries left'))).toMatchObject({
      reason: 'no retries left',
      endedAt: '2030-01-01T00:00:01.000Z',
    });
    expect(seen(undefined, waiting()).reason).toBe('a limit');
    expect(seen(undefined, future)).toMatchObject({
      reason: expect.stringMatching(/^a limit; nobody waits for it: `devflow resume --due`/),
      until: future.until,
    });
    expect(seen('dead', past).reason).toMatch(
      /^a limit; that has ended, and nobody runs it: `devflow/,
    );
    expect(seen('dead', ...open).reason).toContain('devflow resume');
  });

  it('says who goes on after a wait, where anybody does', () => {
    const byItself = 'a limit; process 7 goes on by itself then';
    expect(seen('alive', future)).toMatchObject({ reason: byItself, heldBy: 7 });
    expect(seen('alive', waiting({ for: 'login' })).reason).toBe('a limit');
    for (const nobody of [undefined, 'dead'] as const) {
      expect(seen(nobody, future).reason).toMatch(/^a limit; nobody waits for it: /);
      expect(seen(nobody, future)).not.toHaveProperty('heldBy');
    }
  });

  it('says where nobody can tell whether its holder lives', () => {
    expect(seen('foreign', ...open)).toMatchObject({
      reason: 'agent works; whether process 7 on far lives cannot be seen from here',
      heldBy: 7,
    });
  });

  it('has no phase before the first was entered', () => {
    expect(seen('alive')).toMatchObject({ phase: undefined, attempt: undefined });
  });
});
