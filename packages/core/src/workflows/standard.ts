import type { WorkflowDefinition } from '../workflow/schema.js';

/** From a task to a branch that is ready to be merged. Used where nothing is configured. */
export const standardWorkflow: WorkflowDefinition = {
  name: 'standard',
  phases: [
    {
      id: 1,
      name: 'define',
      mode: 'review',
      prompt: `Task: {{task}}

Read the repository as far as the task concerns it: its instructions to contributors, the code that is
touched, and the tests of that code. Then say precisely what is to be reached: what changes for a user,
what must not change, which cases matter, and how one will see that it is done. Say which command runs
the repository's tests, and, if you can run it, whether they pass now; if it has no tests, say that.

Where the task leaves something open, choose the reading that changes least, and name the choice. If it is
done already, or rests on something that is not so, answer that it is declined, and why.

Do not write code yet. Put the whole definition into your final answer: the next phase sees only that.`,
    },
    {
      id: 2,
      name: 'plan',
      mode: 'review',
      prompt: `Task: {{task}}

What is to be reached:

{{phases.define.text}}

Plan the change: which files, in which order, what each step does, which test will show that it works and
fails without it, and what could go wrong. The smallest change that reaches all of it is the best one:
plan no clean-up that the task does not ask for.

Do not write code yet. Put the whole plan into your final answer: the next phase sees only that.`,
    },
    {
      id: 3,
      name: 'code',
      retries: 2,
      prompt: `Task: {{task}}

What is to be reached:

{{phases.define.text}}

The plan:

{{phases.plan.text}}

Carry it out: code and tests, in the style of the repository. Where the plan turns out to be wrong, do what
reaches the goal, and say so.

- If the repository has tests: add those of the plan and run them all. Never weaken, skip or delete a test
  to make it pass; if one is wrong, say which and why.
- If it has none: add the smallest that would fail without your change, if there is a plain way to run it;
  else try the change by hand, and say what you ran and what it printed.
- What failed before your change is not yours to mend: name it, and leave it.
- Dependencies may not be installed here: install them by the repository's own lock file. Commit only what
  belongs to the change: nothing that a tool made, no key, no password.`,
    },
    {
      id: 4,
      name: 'validate',
      mode: 'review',
      requires: ['answer', 'verdict'],
      onGaps: { goto: 'code', max: 3 },
      prompt: `Task: {{task}}

What is to be reached:

{{phases.define.text}}

The work is in the commits from {{run.since}} to HEAD:

{{run.diff}}

What was measured when that work ended:

{{phases.code.reasons}}

Judge it as a strict reviewer who has not written it. Believe nothing that you have not seen: read the whole
change and what it touches. If you can run commands, run the tests, and try the cases that matter yourself;
if you cannot, think them through line by line, and say so. Look for tests that were weakened, skipped or
deleted, for tests that would pass without the change, for files that do not belong to it, and for what was
broken elsewhere. What failed before the change is no gap.

The verdict is "pass" only if everything that is to be reached is reached and nothing else was broken.
Otherwise it is "gaps", and your final answer names each gap, with its place, how to see it, and what would
close it. A matter of taste is no gap.`,
    },
    {
      id: 5,
      name: 'ship',
      requires: ['answer', 'clean'],
      prompt: `Task: {{task}}

The work on the branch {{run.branch}} has passed its review. Make it ready to be merged: bring changelog and
documentation up to date where the repository has them, and remove what was only a help on the way. Change
nothing else; if all is in place, change nothing. See that the tests still pass, if there are any.

Do not merge, do not push, do not rewrite commits. Your final answer describes the change as a pull request
would: what it does and why, how it was tried, and what a reviewer should look at.`,
    },
  ],
};
