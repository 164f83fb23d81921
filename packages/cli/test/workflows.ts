import { existsSync } from 'node:fs';
import type { PhaseDefinition, WorkflowDefinition } from '@devflow/core';
import { commitFile, giveAnswer, scriptedAgent } from '@devflow/core/testing';
import { until } from './command-line.js';

/** A workflow of one phase whose agent is this script. */
export function onePhase(script: string, phase: Partial<PhaseDefinition> = {}): WorkflowDefinition {
  return {
    name: 'one',
    profiles: { scripted: scriptedAgent(script) },
    phases: [
      {
        id: 1,
        name: 'code',
        agent: 'scripted',
        prompt: 'Do: {{task}}',
        retries: 0,
        retryDelay: '1ms',
        ...phase,
      },
    ],
  };
}

/** Commits a file and says so. */
export const WORKS = `${commitFile('made.txt')} && ${giveAnswer()}`;

/** A word of a script: nothing more until that file is there. */
export const untilThere = (file: string) => `while [ ! -e '${file}' ]; do sleep 0.02; done`;

/** Says that it began, waits to be let go, then works. The two files lie beside the checkout. */
export function waitsFor(go: string, then = WORKS): string {
  return `echo began | tee -a '${go}.began'; ${untilThere(go)}; ${then}`;
}

/** Waits until an agent that waits for `go` says so. */
export const agentBegan = (go: string) =>
  until(
    () => existsSync(`${go}.began`),
    () => 'the agent',
  );
