import { expect, it } from 'vitest';
import { objections, outcomes, rig } from './rig.js';

/** The markers of other tools, from the words of a real process to the verdict. */
it.each([
  ['PR REVIEW: approve', 'completed', /^none$/],
  ['**PR REVIEW:** request changes - no tests', 'rejected', /^the verdict is "gaps": .*no tests$/m],
  [
    'PR REVIEW: approve, once the tests pass',
    'incomplete',
    /cannot be read .*once the tests pass$/m,
  ],
  ['PR REVIEW: <approve or request changes>', 'incomplete', /does not end as this agent ends/],
  ['RELEVANCE REVIEW: still relevant', 'completed', /^none$/],
  ['RELEVANCE REVIEW: partly done', 'rejected', /^the verdict is "gaps": partly done$/m],
  ['RELEVANCE REVIEW: already done (in v2)', 'declined', /: already done: in v2$/m],
  ['NOT READY: no database', 'declined', /^the agent answered "declined": no database$/m],
  ['PR REVIEW: approve\\n- NOT READY: no database', 'declined', /"declined": no database$/m],
  ['# NOT READY\\nPR REVIEW: approve', 'declined', /^the agent answered "declined"$/m],
  ['ADDRESSED: all of it', 'incomplete', /^the agent gave no verdict$/m],
  ['Looks good to me.', 'incomplete', /does not end as this agent ends/],
])('an agent of a review that ends with %j has %s', async (line, outcome, objection) => {
  const used = await rig();
  const script = `cat >/dev/null; echo Looked.; printf '%b\\n' '${line}'`;
  const requires = ['answer' as const, 'verdict' as const];
  const result = await used.run([{ script, mode: 'review', requires }]);
  expect(outcomes(result)).toEqual([`1 ${outcome}`]);
  expect(objections(result).join('\n') || 'none').toMatch(objection);
});
