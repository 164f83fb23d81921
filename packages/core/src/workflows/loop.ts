import type { WorkflowDefinition } from '../workflow/schema.js';
import { TESTS } from './tests.js';

/** One prompt until a check passes. `vars.check` is that check. */
export const loopWorkflow: WorkflowDefinition = {
  name: 'loop',
  phases: [
    {
      id: 1,
      name: 'work',
      protect: TESTS,
      checks: [{ name: '{{vars.check}}', command: ['sh', '-c', '{{vars.check}}'] }],
      onRejected: { goto: 'work', max: 9 },
      prompt: `Task: {{task}}

It is done when this command exits 0; it is run after you have ended, on what you have committed:

    {{vars.check}}

Run it yourself. If it is much to do, take one step that brings it nearer, and commit it: you will be asked
again, with what the command printed. Change neither what the command tests by nor how it is run, unless the
task says so. Where tests are protected, changing them is refused, and adding one too.`,
    },
  ],
};
