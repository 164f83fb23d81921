import { type AgentAdapter, DevflowError } from '@devflow/core';
import { MEMBER_NAMES, shapeProblems } from '@devflow/core/adapter';
import { importCode } from '../config/code.js';

/** Endings of modules that can be an adapter. */
export const MODULE_KINDS = ['mjs', 'js', 'cjs', 'ts', 'mts'];

/**
 * The adapter that a module exports as `adapter` or by default: one, or a function that gives one.
 * Runs the module.
 *
 * @throws DevflowError ADAPTER_INVALID naming all that is wrong with what it exports
 */
export async function loadModule(file: string): Promise<AgentAdapter> {
  const exported = await attempt(file, 'cannot be loaded', () => importCode(file));
  const value = adapterExport(exported);
  const adapter: unknown =
    typeof value === 'function'
      ? await attempt(file, 'gives no adapter', async () => (value as () => unknown)())
      : value;
  const problems =
    adapter === undefined
      ? [`expected an export "adapter", or a default export; found ${exportNames(exported)}`]
      : shapeProblems(adapter);
  if (problems.length > 0)
    throw new DevflowError('ADAPTER_INVALID', `${file} exports no adapter`, { problems });
  return adapter as AgentAdapter; // its shape has just been looked at
}

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
    const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new DevflowError('ADAPTER_INVALID', `${file} ${what}: ${words.split('\n', 1)[0]}`, {
      cause: error,
    });
  }
}
