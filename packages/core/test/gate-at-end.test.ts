/** Where the last gate is answered, the run is complete only with what was judged. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerGate } from '../src/index.js';
import { again, goOn, where } from './gate-rig.js';
import { expectError, rig } from './rig.js';

async function atLastGate() {
  const used = await rig();
  const result = await used.run([{ script: again, gate: 'after' }]);
  const worktree = result.worktree ?? '';
  const git = (...args: string[]) => used.repository.git('-C', worktree, ...args);
  const approve = () => answerGate('test', { decision: 'approve' }, where(used));
  return { used, result, worktree, git, approve };
}

describe('a run whose last gate is approved', () => {
  it.each([
    ['was put back to before it', (git: Git) => git('reset', '--quiet', '--hard', 'main')],
    ['has more commits', (git: Git) => git('commit', '--quiet', '--allow-empty', '-m', 'More')],
  ])('is not complete where its branch %s, until a person says so', async (_, change) => {
    const { used, git, approve } = await atLastGate();
    await change(git);
    await approve();
    const asked = await goOn(used);
    expect(asked).toMatchObject({ state: 'waiting', gate: { kind: 'preflight' } });
    expect(asked.problems.map(({ code }) => code)).toEqual(['BRANCH_MOVED']);
    expect(await used.resume('test')).toMatchObject({ state: 'waiting' }); // looked at again
    await approve();
    expect(await goOn(used)).toMatchObject({ state: 'completed' });
  });

  it('is complete where its branch is put back as it was judged', async () => {
    const { used, result, git, approve } = await atLastGate();
    await git('reset', '--quiet', '--hard', 'main');
    await approve();
    expect(await goOn(used)).toMatchObject({ state: 'waiting' });
    await git('reset', '--quiet', '--hard', result.head ?? '');
    expect(await used.resume('test')).toMatchObject({ state: 'completed' });
  });

  it('keeps its worktree where that has a commit which no branch has', async () => {
    const { used, worktree, git, approve } = await atLastGate();
    await git('checkout', '--quiet', '--detach');
    await git('commit', '--quiet', '--allow-empty', '-m', 'Only here');
    await approve();
    expect(await goOn(used)).toMatchObject({ state: 'waiting' });
    await approve();
    expect(await goOn(used)).toMatchObject({ state: 'completed' });
    expect(existsSync(worktree)).toBe(true);
    const notes = used.events.flatMap((event) => (event.type === 'note' ? event.text : []));
    expect(notes.join('\n')).toContain("is kept: it is on no branch, not on the run's");
  });
});

type Git = (...args: string[]) => Promise<unknown>;

it('an answer decides no gate that was opened after it was given, unless it names that', async () => {
  const { used, result, approve } = await atLastGate();
  const at = new Date(Date.now() - 60_000);
  const late = answerGate('test', { decision: 'approve' }, { ...where(used), at });
  const { hint } = await expectError(late, 'GATE_NOT_OPEN', /was opened after this answer/);
  expect(hint).toContain(`--gate ${result.gate?.gate}`);
  const gate = result.gate?.gate ?? '';
  await answerGate('test', { decision: 'approve' }, { ...where(used), at, gate });
  await expectError(approve(), 'GATE_NOT_OPEN', /was decided: approve/);
});
