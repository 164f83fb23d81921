import type { Mode } from '../../../../adapter/index.js';
import { type CaseContext, type ConformanceCase, judged } from '../../case.js';
import { whyNoCaptures } from '../captures.js';
import { runThroughEngine } from '../engine.js';
import { unknownFlags } from '../flags.js';
import { placeProgram, stubFile, whyNoStub } from '../place.js';
import { execRequestFor } from '../request.js';
import type { AdapterSubject } from '../subject.js';

const COMMITS = 'echo hello >conformance.txt && git add --all && git commit --quiet -m "Say hello"';

export const modeWork: ConformanceCase<AdapterSubject> = {
  name: 'mode-work',
  deadlineMs: 60_000,
  unsupported: (subject) => whyNot(subject, 'work'),
  async run(context) {
    const { result, attempt, repository } = await runThroughEngine(context, {
      mode: 'work',
      requires: ['commit', 'clean'],
      act: COMMITS,
    });
    const file = await repository.git('ls-tree', '--name-only', result.head, 'conformance.txt');
    return judged(
      [
        result.state === 'completed' && file !== ''
          ? undefined
          : `what the agent committed did not reach the run: ${attempt?.outcome ?? result.reason}`,
        ...(await unknownFlags(context, 'work')),
      ],
      "what the agent commits is on the run's branch",
    );
  },
};

export const modeReview: ConformanceCase<AdapterSubject> = {
  name: 'mode-review',
  deadlineMs: 60_000,
  unsupported: (subject) => whyNot(subject, 'review'),
  async run(context) {
    const { result, attempt, repository } = await runThroughEngine(context, {
      mode: 'review',
      act: `${COMMITS}; echo more >>README.md; touch untracked.txt`,
    });
    const branch = await repository.git('rev-parse', result.branch);
    const checkout = await repository.git('status', '--porcelain');
    context.observe(`the run's branch is at ${branch}, it began at ${result.base}`);
    return judged(
      [
        attempt?.outcome === 'completed'
          ? undefined
          : `the review came to ${attempt?.outcome ?? result.reason}`,
        branch === result.base ? undefined : "the run's branch moved",
        checkout === '' ? undefined : `the user's checkout changed: ${checkout}`,
        saysTheMode(context) ? undefined : 'the agent is told the same in a review as at work',
        ...(await unknownFlags(context, 'review')),
      ],
      'nothing that the reviewer wrote reached the run',
    );
  },
};

/** Only where the adapter does both: that devflow throws a review's checkout away is no reason to let it write. */
function saysTheMode({ subject, directory }: CaseContext<AdapterSubject>): boolean {
  const { adapter } = placeProgram(subject, stubFile(subject, directory));
  if (adapter.capabilities.modes.length < 2) return true;
  const told = (mode: Mode) => {
    const request = execRequestFor(directory, mode);
    return JSON.stringify([adapter.execCommand(request), adapter.extraEnv?.(request)]);
  };
  return told('work') !== told('review');
}

function whyNot(subject: AdapterSubject, mode: Mode): string | undefined {
  if (!subject.adapter.capabilities.modes.includes(mode)) return `it does not claim mode ${mode}`;
  return whyNoStub(subject) ?? whyNoCaptures(subject);
}
