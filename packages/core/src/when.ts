import { openPreflightGate } from './gate/at-gate.js';
import { conditionFacts } from './policy/condition-facts.js';
import type { RunContext } from './context.js';
import { reportPreflight } from './preflight/report.js';
import { askHook } from './preflight/hook.js';
import { readVerdict, thrownWords } from './preflight/said.js';
import { currentHead } from './state/selectors.js';
import { type Step, cameBack } from './policy/step.js';
import type { When } from './workflow/workflow.js';

type Answer = { readonly run: boolean; readonly reason: string };

/**
 * Asks whether a phase is to be done at all, and journals the answer. Where that cannot be told, it is neither
 * done nor skipped: a person is asked, as after a preflight that found problems.
 */
export async function askWhen(
  context: RunContext,
  step: Extract<Step, { do: 'ask-when' }>,
): Promise<void> {
  const { log, emit, definition, stop } = context;
  const { phase, when, because, approved } = step;
  const { id, name } = phase;
  try {
    const { run, reason } = approved
      ? { run: true, reason: 'a person approved it, although its condition could not be told' }
      : await answerTo(context, step, when);
    if (run) {
      log.append({ type: 'condition-held', phase: id, reason });
      return;
    }
    const head = currentHead(log.state, definition.base.commit);
    log.append({ type: 'phase-skipped', phase: id, head, because, reason, ...cameBack(step) });
    emit({ type: 'phase-skipped', phase: id, name, reason });
  } catch (error) {
    if (stop.aborted) return; // it was cut off, and is asked again once the run goes on
    reportPreflight(context, phase, { problems: [cannotTell(when, error)], notes: [] });
    openPreflightGate(context, phase);
  }
}

function cannotTell(when: When, error: unknown) {
  const [first = ''] = thrownWords(error).split('\n'); // below it the expression is shown again
  return {
    code: 'CONDITION_FAILED',
    message: `whether the phase is to be done cannot be told (${wordsOf(when)}): ${first}`,
    hint: 'Approve to have the phase done; resume asks anew.',
  };
}

function wordsOf(when: When): string {
  return typeof when === 'string' ? `when: ${when}` : `when: hook "${when.hook}"`;
}

async function answerTo(
  context: RunContext,
  { phase }: Extract<Step, { do: 'ask-when' }>,
  when: When,
): Promise<Answer> {
  if (typeof when === 'string') {
    const { isTrue } = await import('./workflow/condition.js');
    const { definition, log } = context;
    const run = isTrue(when, definition.workflow, conditionFacts(definition, log.state));
    return { run, reason: `${wordsOf(when)} is ${run}` };
  }
  const { worktree } = context.log.state;
  const cwd = worktree?.stage === 'ready' ? worktree.directory : context.repository.root;
  const said = await askHook(context, phase, when.hook, cwd);
  const { run, reason } = readVerdict(said);
  return { run, reason: reason ?? `${wordsOf(when)} said ${run}` };
}
