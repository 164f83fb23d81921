import type { AdapterPreflight, Problem } from '../adapter/index.js';
import type { Agent } from '../agents.js';
import type { RunContext } from '../context.js';
import { agentEnvironment } from '../environment.js';
import type { Phase } from '../workflow/workflow.js';
import { createProbe } from './probe.js';

/** What stands in the way of the phase's agent: its environment, its sandbox, and what its adapter says. */
export async function checkAgent(
  context: Pick<RunContext, 'definition' | 'env' | 'sandbox' | 'loginChecked' | 'repository'>,
  phase: Phase,
  agent: Agent,
): Promise<AdapterPreflight> {
  const { adapter, profile, name } = agent;
  const missing = (profile?.envFrom ?? []).filter(
    (variable) => context.env[variable] === undefined,
  );
  const login = loginKey(agent);
  const checkLogin = !context.loginChecked.has(login);
  const probe = createProbe(
    {
      cwd: context.repository.root,
      mode: phase.mode,
      confinedBy: context.sandbox.confinedBy,
      env: agentEnvironment(context.env, adapter, profile),
      checkLogin,
    },
    context.definition.stateDir,
  );
  const [own, confinement] = await Promise.all([
    adapter.preflight?.(probe) ?? { problems: [], notes: [] },
    context.sandbox.preflight({ write: [], hosts: [] }),
  ]);
  if (own.problems.length === 0) context.loginChecked.add(login);
  return {
    ...own,
    problems: [
      ...missing.map((variable) => missingVariable(variable, name)),
      ...confinement,
      ...own.problems,
    ],
  };
}

/** Profiles that log in alike are asked once: the same adapter, options and environment. */
export function loginKey({ adapter, profile }: Agent): string {
  return JSON.stringify([adapter.name, profile?.options, profile?.env, profile?.envFrom]);
}

function missingVariable(variable: string, profile: string): Problem {
  return {
    code: 'ENV_MISSING',
    message: `the profile "${profile}" passes on ${variable}, which is not set`,
    hint: `Set ${variable}, or take it out of envFrom.`,
  };
}
