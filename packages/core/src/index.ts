/** devflow as a library. See `run`. */
export { run } from './run.js';
export { resume, type ResumeOptions } from './resume.js';
export { answerGate, type AnswerOptions } from './gate/answer-gate.js';
export type { GateWord } from './gate/gate-answer.js';
export { type GateFacts, gateFacts, gatesOf } from './gate/gate-facts.js';
export type { Ask } from './gate/at-gate.js';
export type { Gate } from './state/gates.js';
export { stop } from './stop.js';
export { currentRuns, explainRun, listRuns, status, type RunStatus } from './status.js';
export type { RunExplanation } from './status.js';
export type { Explanation } from './explain.js';
export { tellUntold } from './notify/untold.js';
export { undeliveredText } from './notify/undelivered.js';
export type { CodeOptions, CommonOptions } from './hold.js';
export { planRun, type RunOptions } from './start.js';
export type { BudgetFigures } from './budget/budget.js';
export type { AttemptResult, RunResult } from './result.js';
export { defineWorkflow, resolveWorkflow, type Workflow } from './workflow/workflow.js';
export { readWorkflow } from './workflow/read-workflow.js';
export type { KnownNames } from './workflow/unknown-names.js';
export {
  workflowJsonSchema,
  type WorkflowDefinition,
  type PhaseDefinition,
} from './workflow/schema.js';
export type { BudgetDefinition } from './workflow/schema-budget.js';
export type { ProfileDefinition } from './workflow/schema-profile.js';
export type { Evidence } from './workflow/schema-phase.js';
export { WORKFLOWS } from './workflows/index.js';
export { adapterNames, adapterNamesOf } from './adapter-names.js';
export { formatDuration } from './workflow/units.js';
export type { Hook, HookAnswer, HookFacts, Hooks } from './hooks.js';
export type { OnRunEvent, RunEvent } from './events.js';
export type { CheckResult, Outcome, Reason } from './state/records.js';
export type { RunView, SkippedPhase, ViewState } from './state/view.js';
export type { Commit } from './git/history.js';
export { DevflowError, ERRORS, type ErrorCode } from './errors.js';
export type * from './adapter/index.js';
export { commandLine } from './process/command-line.js';
