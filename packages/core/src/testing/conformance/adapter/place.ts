import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type AgentAdapter,
  type AgentCommand,
  AdapterOptionsError,
} from '../../../adapter/index.js';
import { agentEnvironment } from '../../../environment.js';
import type { Environment } from '../../../git/git.js';
import { findProgram } from '../../../process/program.js';
import { execRequestFor } from './request.js';
import type { AdapterSubject, StubState } from './subject.js';

/** How a program takes the place of the agent's own: by a profile's options, or by its name in the PATH. */
type StandIn =
  | { readonly by: 'options'; readonly name: string }
  | { readonly by: 'path'; readonly name: string }
  | { readonly by: 'nothing'; readonly why: string };

/** Where an adapter says what it brings along. */
export const KIT_PLACES =
  'in an export `conformance` of its module, or in its conformance.json: docs/conformance.md';

/** Why no stub can stand in for the agent; undefined where one can. */
export function whyNoStub(subject: AdapterSubject): string | undefined {
  const standIn = standInOf(subject);
  return standIn.by === 'nothing' ? standIn.why : undefined;
}

/** Why the adapter can say nothing at all: it needs options that are not given. */
export function whyNotConfigured(subject: AdapterSubject): string | undefined {
  return ownCommand(configured(subject)) === undefined ? whyNoStub(subject) : undefined;
}

/** The adapter with the options that it needs. */
export function configured(subject: AdapterSubject): AgentAdapter {
  return placeProgram(subject, '/nowhere/program').adapter;
}

/** An adapter whose agent is the program of this path. */
export interface PlacedAdapter {
  readonly adapter: AgentAdapter;
  /** The profile's own options that make it so. */
  readonly options: Readonly<Record<string, unknown>>;
}

export function placeProgram(subject: AdapterSubject, program: string): PlacedAdapter {
  const { adapter, stub } = subject;
  const { by } = standInOf(subject);
  if (by === 'nothing') return { adapter, options: {} };
  const options = stub?.options?.(program) ?? (by === 'options' ? { program } : {});
  return { adapter: adapter.configure?.(options) ?? adapter, options };
}

/** Does the adapter itself name the agent's program? One that is a program of its own starts it unseen. */
export function namesProgram(subject: AdapterSubject): boolean {
  const standIn = standInOf(subject);
  if (standIn.by !== 'path') return standIn.by === 'options';
  const { program = '', args = [] } = ownCommand(configured(subject)) ?? {};
  return [program, ...args].some((word) => path.basename(word) === standIn.name);
}

/** Path of the agent's program in the PATH of a caller's agents; undefined where it is not installed, or has no name: the cases say why. */
export function installedProgram(subject: AdapterSubject, caller: Environment): string | undefined {
  const { adapter, stub } = subject;
  const name = stub?.program ?? programNamed(adapter) ?? '/';
  if (name.includes('/')) return undefined; // its own, whatever it starts
  return findProgram(name, '/', agentEnvironment(caller, adapter, undefined));
}

/** Where the stub goes: the name that the agent's program has. */
export function stubFile(subject: AdapterSubject, directory: string): string {
  const standIn = standInOf(subject);
  const name = standIn.by === 'nothing' ? subject.adapter.name : standIn.name;
  mkdirSync(path.join(directory, 'bin'), { recursive: true });
  return path.join(directory, 'bin', name);
}

/** The environment of a machine in this state, its HOME below the directory; the program's directory comes first in the PATH. */
export function machineEnvironment(
  { env = {}, home = {} }: StubState,
  directory: string,
  program: string,
): Record<string, string> {
  const HOME = path.join(directory, 'home');
  mkdirSync(HOME, { recursive: true });
  for (const [name, content] of Object.entries(home)) {
    mkdirSync(path.dirname(path.join(HOME, name)), { recursive: true });
    writeFileSync(path.join(HOME, name), content);
  }
  const PATH = `${path.dirname(program)}:${process.env['PATH'] ?? ''}`;
  return { PATH, HOME, LANG: 'C.UTF-8', ...env };
}

function standInOf({ adapter, stub = {} }: AdapterSubject): StandIn {
  const own = ownCommand(adapter)?.program;
  const bare = own !== undefined && !own.includes('/') ? own : undefined;
  const name = stub.program ?? bare ?? adapter.name.replaceAll(/[^\w.-]/g, '-');
  if (stub.options !== undefined || takesProgram(adapter)) return { by: 'options', name };
  if (stub.program !== undefined || bare !== undefined) return { by: 'path', name };
  const why =
    own === undefined
      ? `it needs options, and nothing says which (\`stub.options\` ${KIT_PLACES})`
      : `its program is ${own}, and nothing says how to put another in its place (\`stub\` ${KIT_PLACES})`;
  return { by: 'nothing', why };
}

/** Its command as it is; undefined where it needs options first. */
function ownCommand(adapter: AgentAdapter): AgentCommand | undefined {
  try {
    const [mode = 'work'] = adapter.capabilities.modes;
    return adapter.execCommand(execRequestFor('/nowhere', mode));
  } catch (error) {
    if (error instanceof AdapterOptionsError) return undefined;
    throw error;
  }
}

function programNamed(adapter: AgentAdapter): string | undefined {
  try {
    const { program } = ownCommand(adapter) ?? {};
    return typeof program === 'string' ? program : undefined;
  } catch {
    return undefined;
  }
}

function takesProgram(adapter: AgentAdapter): boolean {
  try {
    const given = adapter.configure?.({ program: '/nowhere/program' });
    const { program = '', args = [] } = given === undefined ? {} : (ownCommand(given) ?? {});
    // Also where a shell or `env` starts it.
    return [program, ...args].some((word) => word.includes('/nowhere/program'));
  } catch (error) {
    if (error instanceof AdapterOptionsError) return false;
    throw error;
  }
}
