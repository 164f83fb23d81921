import {
  DevflowError,
  type WorkflowDefinition,
  adapterNames,
  resolveWorkflow,
} from '@devflow/core';
import { command } from '@devflow/core/command';
import { type Finding, doctor } from '@devflow/core/doctor';
import { agentsIn } from '../agents.js';
import { adaptersNamed } from '../adapters/index.js';
import { loadConfiguration, nameFile } from '../config/load.js';
import { nameOptions } from '../config/options.js';
import { leftForLater } from '../config/workflow.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Place, placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { placeDocuments } from '../text/hint.js';
import { findingsText } from '../text/findings.js';

export interface DoctorFlags {
  readonly agent?: string;
  readonly json?: true;
  readonly cwd?: string;
}

/** What is wrong with a configuration, or with an adapter that it names. */
const UNUSABLE: ReadonlySet<string> = new Set([
  'CONFIG_INVALID',
  'ADAPTER_INVALID',
  'ADAPTER_UNCONFIRMED',
]);

export async function diagnose(flags: DoctorFlags, terminal: Terminal): Promise<ExitCode> {
  const place = placeOf(flags);
  const findings = await lookAtAll(place, flags).catch(async (error: unknown) => {
    if (!(error instanceof DevflowError) || !UNUSABLE.has(error.code)) throw error;
    return [brokenConfiguration(error), ...(await lookWithoutConfiguration(place))];
  });
  terminal.out(
    flags.json === true
      ? `${JSON.stringify(findings, undefined, 2)}\n`
      : findingsText(findings, terminal),
  );
  return findings.some(({ problems }) => problems.length > 0) ? EXIT.preflight : EXIT.completed;
}

async function lookAtAll(place: Place, flags: DoctorFlags): Promise<Finding[]> {
  const configuration = await loadConfiguration(place.cwd, 'later');
  const { file, dir } = configuration;
  const definition = withAgents(configuration.definition, agentsIn(flags.agent));
  const found = file ?? 'none: the standard workflow is used';
  const names = adapterNames(resolveWorkflow(definition, dir));
  const options = { ...place, adapters: await adaptersNamed(names, place), workflowDir: dir };
  const looked = await doctor(definition, options).catch((error: unknown) => {
    throw nameFile(nameOptions(error, flags), configuration);
  });
  const notes = leftForLater(definition).map(
    (name) => `the variable "${name}" has no value: a run needs \`--var ${name}=…\``,
  );
  return [{ what: 'configuration', found, problems: [], notes }, ...looked];
}

/** The agents that are asked for in place of those that the phases name, as a run has it. */
function withAgents(
  definition: WorkflowDefinition,
  agents: readonly string[] | undefined,
): WorkflowDefinition {
  if (agents === undefined) return definition;
  const phases = definition.phases.map((phase) => ({ ...phase, agent: [...agents] }));
  return { ...definition, phases };
}

function brokenConfiguration({ code, message, problems, hint }: DevflowError): Finding {
  const all = [message, ...problems.map((problem) => `- ${problem}`)].join('\n');
  const found = 'cannot be used, so its agents were not looked at';
  return {
    what: 'configuration',
    found,
    problems: [{ code, message: all, hint: placeDocuments(hint) }],
    notes: [],
  };
}

/** Machine and repository need no configuration; the doctor needs one, and its agent is left out again. */
async function lookWithoutConfiguration(place: Place): Promise<Finding[]> {
  const stand: WorkflowDefinition = {
    profiles: { none: { adapter: 'command', command: ['true'] } },
    phases: [{ id: 1, name: 'none', agent: 'none', prompt: 'none' }],
  };
  const findings = await doctor(stand, { ...place, adapters: [command()] });
  return findings.filter(({ what }) => !what.startsWith('agent '));
}
