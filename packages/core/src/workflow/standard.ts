import type { WorkflowDefinition } from './schema.js';

/** The workflow that is used where nothing is configured. It names no agent. */
export const standardWorkflow: WorkflowDefinition = {
  name: 'standard',
  phases: [
    {
      id: 1,
      name: 'define',
      mode: 'review',
      prompt: `Task: {{task}}

Read the repository as far as the task concerns it. Then say precisely what is to be reached: what
changes for a user, what must not change, which cases matter, and how one will see that it is done.
Do not write code yet. Put the whole definition into your final answer.`,
    },
    {
      id: 2,
      name: 'plan',
      mode: 'review',
      prompt: `Task: {{task}}

What is to be reached:

{{phases.define.text}}

Plan the change: which files, in which order, what each step does, which tests will show that it works,
and what could go wrong. Do not write code yet. Put the whole plan into your final answer.`,
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

Carry it out: code and tests, in the style of the repository. Run the tests that the repository has. Where
it has none, add the smallest that would fail without your change, if the repository has a place for it.`,
    },
    {
      id: 4,
      name: 'validate',
      mode: 'review',
      requires: ['marker', 'verdict'],
      onGaps: { goto: 'code', max: 3 },
      prompt: `Task: {{task}}

What is to be reached:

{{phases.define.text}}

The work is in the commits from {{run.base}} to HEAD:

{{run.diff}}

Judge it as a strict reviewer: read the whole change and what it touches, run the tests if you can, think
through the cases that matter. Your verdict is "pass" only if everything that is to be reached is reached
and nothing else was broken. Otherwise it is "gaps", and your final answer names each gap, with its place
and what would close it.`,
    },
    {
      id: 5,
      name: 'ship',
      requires: ['marker', 'clean'],
      prompt: `Task: {{task}}

The work on the branch {{run.branch}} has passed its review. Make it ready to be merged: bring changelog
and documentation up to date where the repository has them, and see that the tests still pass. Do not
merge, do not push. Your final answer describes the change as a pull request would.`,
    },
  ],
};
