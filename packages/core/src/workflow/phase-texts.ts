import path from 'node:path';
import { pathText } from './problems.js';
import type { PhaseDefinition } from './schema.js';
import { fillVariables, unknownVariable } from './template.js';
import { readTextFile } from './text-file.js';

/** The texts of a phase that are read or filled in as a definition is resolved; what is wrong is added to the problems. */

type Checks = NonNullable<PhaseDefinition['checks']>;

/** Checks with the variables of the workflow in their names and commands. */
export function fillCommands(
  { checks = [] }: PhaseDefinition,
  index: number,
  variables: Readonly<Record<string, string>> = {},
  problems: string[],
): Checks {
  return checks.map(({ name, command, ...rest }, number) => {
    const unknown: string[] = [];
    const fill = (words: readonly string[]) => fillVariables(words, variables, unknown);
    const [filled = name] = name === undefined ? [] : fill([name]);
    const check = {
      ...rest,
      command: fill(command),
      ...(filled !== undefined && { name: filled }),
    };
    const known = Object.keys(variables).map((variable) => `vars.${variable}`);
    const where = pathText(['phases', index, 'checks', number]);
    for (const slot of new Set(unknown)) problems.push(`${where}: ${unknownVariable(slot, known)}`);
    return check;
  });
}

/** From its file where it has one. */
export function readPrompt(
  phase: PhaseDefinition,
  index: number,
  dir: string,
  problems: string[],
): string {
  const where = pathText(['phases', index]);
  if ((phase.prompt === undefined) === (phase.promptFile === undefined)) {
    const found = phase.prompt === undefined ? 'neither' : 'both';
    problems.push(`${where}: expected prompt or promptFile, found ${found}`);
    return '';
  }
  if (phase.promptFile === undefined) return phase.prompt ?? '';
  return readTextFile(path.resolve(dir, phase.promptFile), `${where}.promptFile`, problems);
}
