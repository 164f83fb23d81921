import type { Finding } from '@devflow/core/doctor';
import { type PhaseAhead, type PreflightAhead, preflightAhead } from '@devflow/core/preflight';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Interrupted } from '../interrupted.js';
import { leaveBySignal } from '../leave-by-signal.js';
import type { Terminal } from '../terminal.js';
import { findingsText } from '../text/findings.js';
import { type RunFlags, prepareRun } from './run.js';

export interface PreflightFlags extends Pick<
  RunFlags,
  | 'workflow'
  | 'var'
  | 'from'
  | 'until'
  | 'agent'
  | 'model'
  | 'effort'
  | 'base'
  | 'against'
  | 'name'
  | 'sandbox'
  | 'json'
  | 'cwd'
> {
  readonly phase?: string;
}

/** All that stands in the way of the phases ahead, without a run. Exits 4 where anything does. */
export async function showPreflight(flags: PreflightFlags, terminal: Terminal): Promise<ExitCode> {
  const { phase, json } = flags;
  const { definition, options, named } = await prepareRun('', flags);
  const { task: _, ...rest } = options;
  const left = leaveBySignal();
  try {
    const asked = { ...rest, signal: left.signal, ...(phase !== undefined && { phase }) };
    const found = await preflightAhead(definition, asked).catch((error: unknown) => {
      throw named(error);
    });
    if (left.signal.aborted) throw new Interrupted();
    const findings = findingsOf(found);
    terminal.out(
      json === true
        ? `${JSON.stringify({ type: 'preflight', v: 1, ...found })}\n`
        : findingsText(findings, terminal),
    );
    return findings.some(({ problems }) => problems.length > 0) ? EXIT.preflight : EXIT.completed;
  } finally {
    left.close();
  }
}

/** Phases of which the same is to be said are named together. */
function findingsOf({ repository, phases }: PreflightAhead): Finding[] {
  const alike = new Map<string, Finding>();
  for (const phase of phases) {
    const { id, name, problems, notes } = phase;
    const said = { found: foundOf(phase), problems, notes };
    const key = JSON.stringify(said);
    const others = alike.get(key)?.what;
    const label = `${id} ${name}`;
    alike.set(key, { what: others === undefined ? label : `${others}, ${label}`, ...said });
  }
  const found = repository.problems.length === 0 ? 'ready' : 'not ready';
  return [{ what: 'repository', found, ...repository }, ...alike.values()];
}

function foundOf({ agent, limitedUntil, problems }: PhaseAhead): string {
  if (agent === undefined && limitedUntil !== undefined && problems.length === 0)
    return `no agent before ${limitedUntil}`;
  return agent === undefined || problems.length > 0 ? 'not ready' : `ready for ${agent}`;
}
