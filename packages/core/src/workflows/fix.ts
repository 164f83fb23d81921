import type { WorkflowDefinition } from '../workflow/schema.js';

/** Reproduce, fix, prove. `vars.check` is the command that runs the tests: it must fail before the fix, and pass after it. */
export const fixWorkflow: WorkflowDefinition = {
  name: 'fix',
  phases: [
    {
      id: 1,
      name: 'reproduce',
      checks: [
        {
          name: 'fails before the fix: {{vars.check}}',
          // A command that could not be run (126 and above) has shown nothing.
          command: ['sh', '-c', '( {{vars.check}}\n); s=$?; test $s -ne 0 && test $s -lt 126'],
        },
      ],
      prompt: `A fault: {{task}}

Find out how it comes about, and write the smallest test that shows it: one that fails now, for this reason
and no other, and will pass once the fault is mended. Put it where this command runs it, and commit it:

    {{vars.check}}

That command must fail now because of your test alone. If something else fails it, or the repository has no
tests, see that the command can run and that nothing but your test decides it. Do not mend the fault yet.

If there is no such fault, answer that it is declined, and say what you tried. Your final answer says how the
fault comes about, how the test shows it, and what the test prints.`,
    },
    {
      id: 2,
      name: 'fix',
      retries: 3,
      checks: [{ name: '{{vars.check}}', command: ['sh', '-c', '{{vars.check}}'] }],
      prompt: `A fault: {{task}}

What is known of it, and the test that shows it and fails:

{{phases.reproduce.text}}

Mend the fault at its cause, not where it shows, with the smallest change that does so. Leave all tests as
they are. This command must pass then:

    {{vars.check}}

Your final answer says what the cause was and what you changed.`,
    },
    {
      id: 3,
      name: 'prove',
      mode: 'review',
      requires: ['marker', 'verdict'],
      onGaps: { goto: 'fix', max: 2 },
      prompt: `A fault: {{task}}

It was reproduced by a test:

{{phases.reproduce.text}}

and then mended:

{{phases.fix.text}}

The work is in the commits from {{run.since}} to HEAD:

{{run.diff}}

Prove that the fault is gone, or that it is not. See that the test fails without the fix (this checkout is
thrown away: undo the fix in it) and passes with it. Try the fault itself as it was described, and other
cases with the same cause. Look for what the fix breaks, and whether it mends the cause or hides it.

The verdict is "pass" only if the fault is gone and nothing else was broken. Otherwise it is "gaps", and
your final answer names each, with how to see it.`,
    },
  ],
};
