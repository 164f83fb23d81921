import { channel } from 'node:diagnostics_channel';

/**
 * Everything that devflow changes outside its own memory in the course of a run, by name. A crash can come before
 * or after each of them: `npm run test:faults` tries both, and a change that goes through none of these names
 * fails the suite (`effects.test.ts`).
 */
export const EFFECTS = [
  'run.make',
  'run.lock',
  'run.unlock',
  'run.define',
  'run.remove',
  'run.mark-ended',
  'run.unmark-ended',
  'run.end-helpers',
  'run.remove-half',
  'run.events',
  'run.detach',
  'run.open-log',
  'run.move-log',
  'inbox.request',
  'inbox.take',
  'inbox.clear',
  'journal.open',
  'repository.lock',
  'repository.unlock',
  'branch.keep-directory',
  'branch.delete',
  'branch.remove-directory',
  'worktree.place',
  'worktree.add',
  'worktree.checkout',
  'worktree.reset',
  'worktree.prune',
  'worktree.remove',
  'worktree.discard',
  'worktree.copy',
  'worktree.settings',
  'worktree.hide',
  'command.run',
  'checks.log',
  'checks.overlay',
  'protected.compare',
  'program.ask',
  'program.remember',
  'attempt.make',
  'attempt.command',
  'attempt.launch',
  'attempt.events',
  'attempt.end',
  'attempt.mark-ended',
  'attempt.unmark-ended',
  'attempt.unlock',
  'record.remove',
  'salvage.write',
  'salvage.keep',
  'salvage.restore',
  'limit.write',
  'limit.remove',
  'notify.command',
  'notify.webhook',
  'notify.desktop',
] as const;

export type RunEffect = (typeof EFFECTS)[number];

/** A journal record is an effect of its own, by its type. */
export type Effect = RunEffect | `journal ${string}`;

/** What is published on the channel. */
interface EffectPoint {
  readonly effect: Effect;
  readonly when: 'before' | 'after';
}

/** A channel of `node:diagnostics_channel`: whoever watches devflow from within its process is told of each effect. */
const CHANNEL = 'devflow:effect';

const points = channel(CHANNEL);

/** Does one thing outside, and says so before and after. */
export function effect<T>(name: Effect, act: () => T): T {
  points.publish({ effect: name, when: 'before' } satisfies EffectPoint);
  const done = act();
  const after = () => points.publish({ effect: name, when: 'after' } satisfies EffectPoint);
  if (done instanceof Promise) {
    return done.then((value: unknown) => {
      after();
      return value;
    }) as T;
  }
  after();
  return done;
}
