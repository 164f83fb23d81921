import { suggestion } from '../adapter/index.js';
import { unknownVariable } from './template.js';
import { pathText } from './problems.js';
import { LOOPS, type LoopName } from './loop.js';
import type { Evidence } from './schema-phase.js';
import { knownNames, templateNames } from './template.js';
import type { Phase, Workflow } from './workflow.js';

/** The rules that go across entries. */
export function ruleProblems(workflow: Workflow): string[] {
  const { phases } = workflow;
  const names = knownNames(workflow);
  return phases.flatMap((phase, index) => {
    const where = pathText(['phases', index]);
    const earlier = phases.slice(0, index);
    const previous = earlier.at(-1);
    const problems: string[] = [];
    if (previous !== undefined && phase.id <= previous.id) {
      problems.push(`${where}.id: expected a number above ${previous.id}, found ${phase.id}`);
    }
    if (earlier.some(({ name }) => name === phase.name)) {
      problems.push(`${where}.name: "${phase.name}" is taken by an earlier phase`);
    }
    for (const name of templateNames(phase.prompt)) {
      if (!names.includes(name)) {
        problems.push(`${where}.prompt: ${unknownVariable(name, names)}`);
      }
    }
    return [
      ...problems,
      ...handOverProblems(phase, where, phases),
      ...evidenceProblems(phase, where),
      ...LOOPS.flatMap((loop) => loopProblems(phase, loop, where, phases, index)),
    ];
  });
}

/** Files that nobody hands over, or that could never be there. */
function handOverProblems(
  { prompt, mode, handOver }: Phase,
  where: string,
  phases: readonly Phase[],
): string[] {
  const asked = templateNames(prompt);
  const without = phases.filter(
    ({ name, handOver: given }) =>
      asked.includes(`phases.${name}.artifacts`) && given?.artifacts === undefined,
  );
  const problems = without.map(
    ({ name }) =>
      `${where}.prompt: {{phases.${name}.artifacts}} is always empty: phase "${name}" has no handOver.artifacts`,
  );
  if (mode === 'review' && handOver?.artifacts !== undefined) {
    problems.push(
      `${where}.handOver.artifacts: a review keeps no files, so it has none to hand over`,
    );
  }
  return problems;
}

/** Evidence that could never be had, or would be gathered and then not count. */
function evidenceProblems(phase: Phase, where: string): string[] {
  const requires = (evidence: Evidence) => phase.requires.includes(evidence);
  const problems: string[] = [];
  if (requires('commit') && phase.mode === 'review') {
    problems.push(`${where}.requires: a review keeps no commits, so "commit" can never hold`);
  }
  if (requires('clean') && phase.mode === 'review') {
    problems.push(
      `${where}.requires: a review's checkout is thrown away, so "clean" would decide nothing`,
    );
  }
  if (phase.mode === 'review' && (phase.changes !== undefined || phase.files !== undefined)) {
    const key = phase.changes === undefined ? 'files' : 'changes';
    problems.push(
      `${where}.${key}: a review changes and makes nothing that is kept: say it of a phase that works`,
    );
  }
  if (phase.answer !== undefined && !requires('answer')) {
    problems.push(
      `${where}.answer: expected "answer" in requires, or the answer would decide nothing`,
    );
  }
  const has = {
    changes: phase.changes !== undefined,
    files: phase.files !== undefined,
    checks: phase.checks.length > 0,
  };
  for (const key of ['changes', 'files', 'checks'] as const) {
    if (requires(key) && !has[key])
      problems.push(`${where}.requires: "${key}" is required but the phase has no ${key}`);
    if (!requires(key) && has[key])
      problems.push(
        `${where}.${key}: expected "${key}" in requires, or the ${key} would decide nothing`,
      );
  }
  if (phase.checkFrom !== 'worktree' && phase.protect.length === 0) {
    problems.push(
      `${where}.checkFrom: expected "protect" to name what is as in the ${phase.checkFrom} commit`,
    );
  }
  if (phase.checkFrom !== 'worktree' && phase.checks.length === 0) {
    problems.push(`${where}.checkFrom: the phase has no checks, so it would decide nothing`);
  }
  if (phase.onGaps !== undefined && !requires('verdict')) {
    problems.push(`${where}.onGaps: expected "verdict" in requires, or gaps would never be found`);
  }
  if (phase.onRejected !== undefined && !canBeRejected(phase)) {
    problems.push(
      `${where}.onRejected: expected "checks", "verdict" (without an onGaps of its own) or changes.mustNot in what it requires, or protect; else nothing would be rejected`,
    );
  }
  return problems;
}

/** By what it requires; what an attempt does to the branch can be rejected too, but is no reason to go back. */
function canBeRejected({ requires, onGaps, protect, changes }: Phase): boolean {
  return (
    protect.length > 0 ||
    (changes?.mustNot.length ?? 0) > 0 ||
    requires.includes('checks') ||
    (requires.includes('verdict') && onGaps === undefined)
  );
}

/** A way back leads to the phase itself or an earlier one. */
function loopProblems(
  phase: Phase,
  loop: LoopName,
  where: string,
  phases: readonly Phase[],
  index: number,
): string[] {
  const target = phase[loop]?.goto;
  if (target === undefined) return [];
  const reachable = phases.slice(0, index + 1).map(({ name }) => name);
  if (reachable.includes(target)) return [];
  return [
    `${where}.${loop}.goto: no phase "${target}" up to here; ${suggestion(target, reachable)}`,
  ];
}
