import { judges } from '../evidence/answer.js';
import { type HandedOver, phaseFacts } from './hand-over.js';
import { whatHappened } from './before.js';
import type { RunState } from '../state/fold.js';
import { lastEnded, whySkipped } from '../state/selectors.js';
import { PHASE_FACTS, renderTemplate } from '../workflow/template.js';
import type { Phase, Workflow } from '../workflow/workflow.js';

export interface PromptFacts {
  readonly runId: string;
  readonly branch: string;
  readonly base: string;
  /** The commit that the change is counted from: where it parted from what it is compared with, else the base. */
  readonly since?: string;
  readonly task: string;
  /** The change from `since` to the run's commit; only where the prompt asks for it. */
  readonly diff?: string;
  /** What phases left in files, by their names; of those that the prompt asks for. */
  readonly handedOver?: ReadonlyMap<string, HandedOver>;
}

/** The whole prompt of an attempt: the phase's own, what happened before, and how to end. */
export function buildPrompt(
  workflow: Workflow,
  phase: Phase,
  state: RunState,
  number: number,
  facts: PromptFacts,
): string {
  const own = renderTemplate(phase.prompt, templateValues(workflow, phase, state, number, facts));
  const visit = state.visits.at(-1);
  const before = visit === undefined ? [] : whatHappened(state, visit, phase.mode === 'review');
  return `${[own.trim(), ...before, completionContract(phase)].join('\n\n')}\n`;
}

function templateValues(
  workflow: Workflow,
  phase: Phase,
  state: RunState,
  number: number,
  { runId, branch, base, since = base, task, diff, handedOver }: PromptFacts,
): Map<string, string> {
  const values = new Map([
    ['task', task],
    ['phase.id', `${phase.id}`],
    ['phase.name', phase.name],
    ['phase.attempt', `${number}`],
    ['run.id', runId],
    ['run.branch', branch],
    ['run.base', base],
    ['run.since', since],
    ['run.diff', diff ?? ''],
    ...Object.entries(workflow.variables).map(([name, value]) => [`vars.${name}`, value] as const),
  ]);
  for (const { id, name } of workflow.phases) {
    const facts = phaseFacts(
      lastEnded(state, id),
      name,
      whySkipped(state, id),
      handedOver?.get(name),
    );
    for (const fact of PHASE_FACTS) values.set(`phases.${name}.${fact}`, facts[fact]);
  }
  return values;
}

function pathContract({ changes, files }: Phase): string[] {
  const named = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');
  const { must = [], mustNot = [] } = changes ?? {};
  return [
    ...(must.length > 0 ? [`Change what matches each of these: ${named(must)}.`] : []),
    ...(mustNot.length > 0 ? [`Change nothing that matches one of these: ${named(mustNot)}.`] : []),
    ...(files !== undefined ? [`These files must be there in the end: ${named(files)}.`] : []),
  ];
}

/** The schema stands in the prompt also where the agent is held to it: it says what is meant. */
function outputContract({ answer }: Phase): string[] {
  if (answer === undefined) return [];
  const schema = JSON.stringify(answer, undefined, 2);
  return [
    'With success, "output" is a JSON value that holds by this JSON Schema; it is validated:',
    `\`\`\`json\n${schema}\n\`\`\``,
  ];
}

/** The template in it is no answer: `<…>` is no status. */
function completionContract(phase: Phase): string {
  const work = [
    phase.requires.includes('commit') &&
      'Commit your work with git on the branch that is checked out.',
    phase.requires.includes('clean') && 'Leave no uncommitted and no untracked files.',
    phase.mode === 'review' &&
      'This is a review: whatever you change in this checkout is thrown away.',
    ...pathContract(phase),
    'Nobody can answer questions; decide, and say what you decided.',
  ].filter((line) => line !== false);
  const verdict = judges(phase) ? '"verdict":"<pass or gaps>",' : '';
  const how = ['## How to finish', work.map((line) => `- ${line}`).join('\n')];
  if (phase.answerBy === 'schema') {
    return [
      ...how,
      'Your final answer is structured, in the form that you are given: its status says whether you reached what was asked for (success), could not (failed), or need not or must not (declined).',
      ...outputContract(phase),
    ].join('\n\n');
  }
  return [
    ...how,
    'End your answer with one line of exactly this form, filled in:',
    `DEVFLOW_RESULT: {"status":"<success, failed or declined>",${verdict}"summary":"<what was done>","reason":"<why, if not success${judges(phase) ? ' or if gaps' : ''}>"${phase.answer === undefined ? '' : ',"output":<as said below>'}}`,
    ...outputContract(phase),
  ].join('\n\n');
}
