import { type AgentAdapter, DevflowError } from '@devflow/core';
import { MEMBER_NAMES, shapeProblems } from '@devflow/core/adapter';
import { importCode } from '../config/code.js';
import { codePosition } from '../config/reason.js';

/** Endings of modules that can be an adapter. */
export const MODULE_KINDS = ['mjs', 'js', 'cjs', 'ts', 'mts'];

/** What a module gave when it was run, once. */
export interface LoadedModule {
  readonly adapter: AgentAdapter;
  /** All that it exports. */
  readonly exported: unknown;
}

/** The adapter of {@link loadExports}. */
export async function loadModule(file: string): Promise<AgentAdapter> {
  return (await loadExports(file)).adapter;
}

/**
 * The adapter that a module exports as `adapter` or by default: one, or a function that gives one; with all else
 * that it exports. Runs the module.
 *
 * @throws DevflowError ADAPTER_INVALID naming all that is wrong with what it exports
 */
export async function loadExports(file: string): Promise<LoadedModule> {
  const exported = await attempt(file, 'cannot be loaded', () => importCode(file));
  const { adapter, problems, fault } = await attempt(file, 'gives no adapter', () =>
    lookAt(file, exported),
  );
  if (problems.length > 0) throw new DevflowError('ADAPTER_INVALID', fault, { problems });
  return { adapter: adapter as AgentAdapter, exported }; // its shape has just been looked at
}

/** Runs what the module exports: a function, and members that are computed. */
async function lookAt(file: string, exported: unknown) {
  const value = adapterExport(exported);
  const adapter: unknown = typeof value === 'function' ? await (value as () => unknown)() : value;
  const problems =
    adapter === undefined
      ? [`expected an export "adapter", or a default export; found ${exportNames(exported)}`]
      : shapeProblems(adapter);
  return { adapter, problems, fault: problems.length === 0 ? '' : faultOf(file, adapter) };
}

/** What is not there at all is another fault than what lacks something. */
function faultOf(file: string, adapter: unknown): string {
  if (typeof adapter !== 'object' || adapter === null) return `${file} exports no adapter`;
  const missing = REQUIRED.filter((name) => !(name in adapter));
  return missing.length === 0
    ? `${file}: the adapter that it exports is not of the form of one`
    : `${file}: the adapter that it exports has no ${missing.join(' and no ')}`;
}

const REQUIRED = [
  'name',
  'capabilities',
  'execCommand',
  'completionSignalDetected',
] as const satisfies readonly (keyof AgentAdapter)[];

function adapterExport(exported: unknown): unknown {
  const { adapter, default: byDefault } = Object(exported) as Record<string, unknown>;
  if (adapter !== undefined) return adapter;
  // Where there is no default export, jiti gives all that is exported as one.
  if (typeof byDefault !== 'object' || byDefault === null) return byDefault;
  return MEMBER_NAMES.some((name) => name in byDefault) ? byDefault : undefined;
}

function exportNames(exported: unknown): string {
  const names = Object.keys(Object(exported)).filter((name) => name !== 'default');
  return names.length === 0 ? 'nothing' : names.join(', ');
}

async function attempt<T>(file: string, what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const { at, words } = reasonOf(error, file);
    throw new DevflowError('ADAPTER_INVALID', `${at} ${what}: ${words}`, { cause: error });
  }
}

/** Where it went wrong and why; what jiti cannot parse names the file and the place in its second line. */
function reasonOf(error: unknown, file: string): { at: string; words: string } {
  if (!(error instanceof Error)) return { at: file, words: String(error).split('\n', 1)[0] ?? '' };
  const [first = '', second = ''] = error.message.split('\n').map((line) => line.trim());
  const words = first.startsWith('ParseError: ') ? first : `${error.name}: ${first}`;
  const parsed = /^(.*\.\w+):\d+:\d+$/.exec(second)?.[1];
  if (parsed !== undefined && parsed !== file) return { at: file, words: `${words} (${second})` };
  // Of an import that is not there the words say enough: its place is that in what jiti has made of the file.
  const isMissing = 'code' in error && String(error.code).endsWith('MODULE_NOT_FOUND');
  const position = isMissing ? undefined : codePosition(error, file);
  return { at: position === undefined ? file : `${file}:${position}`, words };
}
