import type { Problem } from '../adapter/index.js';
import { agentsOf } from '../agents.js';
import type { RunContext } from '../context.js';
import { baseEnvironment } from '../environment.js';
import { execRequest } from '../launch.js';
import { findProgram } from '../process/program.js';
import type { Phase } from '../workflow/workflow.js';
import { runWorktree } from '../workspace.js';

/** An agent that is named by a relative path is the one of the run's own checkout: the one of the commit, or what setup made. */
export function missingInWorktree(context: RunContext): Problem[] {
  const cwd = runWorktree(context);
  const place = { cwd, extraWritableRoots: [], directory: cwd };
  const programs = context.definition.workflow.phases.flatMap((phase) =>
    agentsOf(context.agents, phase).map((agent) => {
      const request = execRequest(context.sandbox, phase, agent, place, '');
      return agent.adapter.execCommand(request).program;
    }),
  );
  return [...new Set(programs)]
    .filter((program) => isRelative(program) && findProgram(program, cwd, {}) === undefined)
    .map((program) => ({
      code: 'AGENT_NOT_FOUND',
      message: `the agent's program "${program}" is not in the run's checkout, or cannot be executed there: ${cwd}`,
      hint: 'A relative program is taken from the commit that the run starts from: commit it (executable), and start a new run.',
    }));
}

/** Programs of checks that are looked up in the PATH and are not there; one by a path may be made by the phase itself. */
export function missingCheckPrograms({ env }: Pick<RunContext, 'env'>, phase: Phase): Problem[] {
  const visible = baseEnvironment(env);
  const programs = phase.checks
    .map(({ command }) => command[0] ?? '')
    .filter((name) => !name.includes('/'));
  return [...new Set(programs)]
    .filter((name) => findProgram(name, '/', visible) === undefined)
    .map((name) => ({
      code: 'CHECK_NOT_FOUND',
      message: `"${name}", the program of a check of phase ${phase.id} ${phase.name}, is not in the PATH`,
      hint: 'Install it; or correct the check in the configuration and start a new run.',
    }));
}

function isRelative(program: string): boolean {
  return program.includes('/') && !program.startsWith('/');
}
