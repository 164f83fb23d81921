import type { AdapterPreflight, AgentAdapter, Asked, Mode } from '../../../adapter/index.js';
import { agentEnvironment } from '../../../environment.js';
import { createProbe } from '../../../preflight/probe.js';
import { machineEnvironment } from './place.js';
import type { AdapterSubject, StubState } from './subject.js';

export interface PreflightQuestion {
  readonly directory: string;
  readonly program: string;
  readonly mode: Mode;
  readonly state?: StubState;
  readonly checkLogin?: boolean;
  /** What the next attempt asks for; nothing where it is left out. */
  readonly asks?: readonly Asked[];
  /** In place of the PATH in which the program's directory comes first. */
  readonly searched?: string;
}

/** What preflight says on a machine of this state, asked as the engine asks it. */
export async function askPreflight(
  subject: AdapterSubject,
  adapter: AgentAdapter,
  { directory, program, mode, state, checkLogin = false, asks = [], searched }: PreflightQuestion,
): Promise<AdapterPreflight> {
  const machine = machineEnvironment(state ?? subject.stub ?? {}, directory, program);
  const env = agentEnvironment(
    { ...machine, ...(searched !== undefined && { PATH: searched }) },
    adapter,
    undefined,
  );
  const facts = { cwd: directory, mode, confinedBy: 'nobody', env, checkLogin, asks } as const;
  const probe = createProbe(facts, `${directory}/state`);
  return (await adapter.preflight?.(probe)) ?? { problems: [], notes: [] };
}
