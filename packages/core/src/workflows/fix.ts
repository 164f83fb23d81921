import type { WorkflowDefinition } from '../workflow/schema.js';
import { TESTS } from './tests.js';

/** A command that could not be run (126 and above), or whose script is not there, has shown nothing. */
const SHOWS_THE_FAULT = `set -f
set -- $(cat <<'THE END OF THE COMMAND'
{{vars.check}}
THE END OF THE COMMAND
)
case \${1-} in sh | bash | dash | node | python | python3 | ruby | perl)
  case \${2-} in '' | -* | *[!A-Za-z0-9_./-]*) ;; *)
    test -e "$2" || { echo "There is no $2: the command could not be run, and has shown nothing."; exit 1; } ;;
  esac ;;
esac
set --; set +f
( {{vars.check}}
); s=$?
if test $s -eq 0; then echo 'The command passes (exit 0): nothing shows the fault.'
elif test $s -ge 126; then echo "The command could not be run (exit $s), and has shown nothing."
else echo "The command fails (exit $s), as it must before the fix."; exit 0
fi
exit 1`;

/** Reproduce, fix, prove. `vars.check` is the command that runs the tests: it must fail before the fix, and pass after it. */
export const fixWorkflow: WorkflowDefinition = {
  name: 'fix',
  phases: [
    {
      id: 1,
      name: 'reproduce',
      checks: [
        {
          name: 'shows the fault: {{vars.check}}',
          command: ['sh', '-c', SHOWS_THE_FAULT],
          // Where it failed already, this tells the review that the new test has not made it fail.
          before: true,
        },
      ],
      prompt: `A fault: {{task}}

Find out how it comes about, and write the smallest test that shows it: one that fails now, for this reason
and no other, and will pass once the fault is mended. Put it where this command runs it, and commit it:

    {{vars.check}}

That command must fail now because of your test alone. If something else fails it, or the repository has no
tests, see that the command can run and that nothing but your test decides it. Commit only what tests, and
under a name that says so: whatever else is changed here shows nothing. Do not mend the fault yet.

If there is no such fault, answer that it is declined, and say what you tried. Your final answer says how the
fault comes about, how the test shows it, and what the test prints.`,
    },
    {
      id: 2,
      name: 'fix',
      retries: 3,
      protect: TESTS,
      checkFrom: 'accepted',
      checks: [{ name: '{{vars.check}}', command: ['sh', '-c', '{{vars.check}}'] }],
      prompt: `A fault: {{task}}

What is known of it, and the test that shows it and fails:

{{phases.reproduce.text}}

Mend the fault at its cause, not where it shows, with the smallest change that does so. Leave all tests as
they are, and how they are run, and add none: that is protected. This command must pass then:

    {{vars.check}}

Your final answer says what the cause was and what you changed.`,
    },
    {
      id: 3,
      name: 'prove',
      mode: 'review',
      requires: ['answer', 'verdict'],
      onGaps: { goto: 'fix', max: 2 },
      prompt: `A fault: {{task}}

It was reproduced by a test:

{{phases.reproduce.text}}

and then mended:

{{phases.fix.text}}

What was measured before the fix, and after it:

{{phases.reproduce.reasons}}

{{phases.fix.reasons}}

The work is in the commits from {{run.since}} to HEAD:

{{run.diff}}

That is what came of it. What the test was committed with, and was then changed again, is only in the single
commits: see them (git log -p {{run.since}}..HEAD). Commits of the first phase that change more than tests, and
tests that were changed after it, wherever they stand, are gaps: a fault that was made is none that was mended.

Prove that the fault is gone, or that it is not. Does the test show this fault, and fail for this reason and
no other? Where the command was found to fail "as before the phase began", its failing shows nothing: see that
there is a new test, and that it fails without the fix. Does the fix mend the cause, or hide it? Which other
cases have the same cause, and what does the fix break? If you can run commands, try the fault as it was
described, undo the fix here and see the test fail, and try those other cases; if you cannot, think them
through line by line, and say so.

The verdict is "pass" only if the fault is gone and nothing else was broken. Otherwise it is "gaps", and
your final answer names each, with how to see it.`,
    },
  ],
};
