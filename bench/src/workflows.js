import { programFile } from './programs.js';

/** @typedef {import('../../packages/core/dist/index.js').WorkflowDefinition} WorkflowDefinition */
/** @typedef {import('../../packages/core/dist/index.js').Evidence} Evidence */

/**
 * One phase, done once by the run's own `agent`.
 * @param {{ keep?: 'unfinished' | 'always', requires?: Evidence[], maxOutput?: string }} [settings]
 * @returns {WorkflowDefinition}
 */
export function onePhase({
  keep = 'unfinished',
  requires = ['answer', 'commit', 'clean'],
  maxOutput = '1GB',
} = {}) {
  return {
    name: 'bench',
    sandbox: 'none',
    worktree: { keep },
    phases: [
      { id: 1, name: 'work', prompt: '{{task}}', agent: 'agent', requires, maxOutput, retries: 0 },
    ],
  };
}

/** The profile of the fake agent that makes one commit. @param {string} name */
export function committer(name) {
  return { command: ['sh', programFile('agent.sh'), name] };
}
