import type { Command, Option } from 'commander';
import { DevflowError } from '@devflow/core/errors';

/** An empty value, as of a variable that is not set, and a value given twice are slips: neither is passed over in silence. */
export function refuseSlips(command: Command): void {
  for (const option of command.options) {
    if (option.required && (option.variadic || REPEATED.has(option.long)))
      option.argParser(readMore(option));
    else if (option.required) option.argParser(readOnce(option));
  }
  for (const each of command.commands) refuseSlips(each);
}

/** Options that are given as often as there is something to say. */
const REPEATED: ReadonlySet<Option['long']> = new Set(['--var']);

function readOnce({ long }: Option) {
  return (value: string, before: string | undefined): string => {
    requireValue(long, value);
    if (before === undefined) return value;
    throw new DevflowError('OPTION_INVALID', `${long} is given twice: "${before}" and "${value}"`);
  };
}

function readMore({ long }: Option) {
  return (value: string, before: readonly string[] = []): readonly string[] => {
    requireValue(long, value);
    return [...before, value];
  };
}

function requireValue(long: Option['long'], value: string): void {
  if (value === '') throw new DevflowError('OPTION_INVALID', `${long}: the value is empty`);
}
