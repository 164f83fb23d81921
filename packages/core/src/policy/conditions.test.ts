import { describe, expect, it } from 'vitest';
import {
  attempted,
  entered,
  journalOf,
  phaseOf,
  skipped,
  started,
  workflowOf,
} from '../../test/journal-of.js';
import { decide } from './policy.js';
import { fold } from '../state/fold.js';
import type { RecordBody } from '../state/records.js';

const plan = phaseOf(1, 'plan');
const test = phaseOf(2, 'test', {
  when: { hook: 'wanted' },
  gate: { when: 'before' } as never,
});
const ship = phaseOf(3, 'ship');
const workflow = workflowOf([plan, test, ship]);
const planned = [started, entered(1), ...attempted(1, 'completed')];

const after = (...bodies: RecordBody[]) =>
  decide(workflow, { first: 1, last: 3 }, fold(journalOf(...planned, ...bodies)), 0);
const held: RecordBody = { type: 'condition-held', phase: 2, reason: 'r' };
const opened = (gate: string, kind: 'before' | 'preflight'): RecordBody => ({
  type: 'gate-opened',
  gate,
  kind,
  phase: 2,
  reason: 'r',
});
const decided = (gate: string, decision: 'approve' | 'reject' | 'recheck'): RecordBody => ({
  type: 'gate-decided',
  gate,
  decision,
  by: 'person',
});
const asks = { do: 'ask-when', phase: test, because: 'phase 1 plan is complete', approved: false };

describe('a phase with a condition', () => {
  it('is asked about first, then its gate, then it is entered', () => {
    expect(after()).toMatchObject(asks);
    expect(after(held)).toMatchObject({ do: 'open-gate', phase: test });
    const approved = [held, opened('g', 'before'), decided('g', 'approve')];
    expect(after(...approved)).toMatchObject({ do: 'enter', phase: test });
  });

  it('that is skipped is behind the run', () => {
    expect(after(skipped(2))).toMatchObject({
      do: 'enter',
      phase: ship,
      because: 'phase 2 test was skipped',
    });
    expect(after(skipped(2), entered(3), ...attempted(3, 'completed'))).toEqual({
      do: 'end',
      state: 'completed',
      reason: 'all phases are complete, but for those that were skipped: 2 test',
    });
  });

  it('is asked about again when the run comes to it again, and only then', () => {
    const round = [
      held,
      opened('g', 'before'),
      decided('g', 'approve'),
      entered(2),
      ...attempted(2, 'completed'),
    ];
    const back = entered(1, { sentBackBy: 3, loop: 'onGaps' });
    const again = [...round, entered(3), back, ...attempted(1, 'completed', 2)];
    expect(after(...again)).toMatchObject(asks);
    expect(after(...again, held)).toMatchObject({ do: 'open-gate' });
  });

  it('is done, and looked at before, where a person approves although it could not be told', () => {
    const unknown = [opened('p', 'preflight'), decided('p', 'approve')];
    expect(after(opened('p', 'preflight'))).toMatchObject({ do: 'gate' });
    expect(after(...unknown)).toMatchObject({ ...asks, approved: true });
    expect(after(opened('p', 'preflight'), decided('p', 'recheck'))).toMatchObject(asks);
    expect(after(...unknown, held)).toMatchObject({ do: 'open-gate' });
  });

  it('that a person sends the run back behind is not asked about again for the first time', () => {
    const toPlan = [held, opened('g', 'before'), decided('g', 'reject')];
    expect(after(...toPlan)).toMatchObject({ do: 'enter', phase: plan, gate: 'g' });
  });
});
