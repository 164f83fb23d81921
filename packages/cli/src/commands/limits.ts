import { DevflowError } from '@devflow/core/errors';
import { type KnownLimit, clearLimits, knownLimits } from '@devflow/core/limits';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { oneLine, plural, wrap } from '../text/style.js';
import { localTime, within } from '../text/time.js';

const GO_ON =
  'A run that waits goes on by `devflow resume <run>`; one that a devflow holds (--wait, --detach) by `devflow stop <run>` before that.\n';

export interface LimitsFlags {
  readonly json?: true;
  readonly all?: true;
}

export async function showLimits(flags: LimitsFlags, terminal: Terminal): Promise<ExitCode> {
  const limits = knownLimits({ env: process.env });
  if (flags.json === true) terminal.out(`${JSON.stringify(limits, undefined, 2)}\n`);
  else if (limits.length === 0) terminal.out('No account is known to have reached a limit.\n');
  else terminal.out(limits.map((limit) => `${limitText(limit, terminal)}\n`).join(''));
  return EXIT.completed;
}

export async function clear(
  account: string | undefined,
  flags: LimitsFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  if ((account === undefined) === (flags.all !== true)) {
    throw new DevflowError('OPTION_INVALID', 'name one account, or say --all', {
      hint: '`devflow limits` shows them with their keys.',
    });
  }
  const cleared = clearLimits({ env: process.env }, account);
  const text = () =>
    cleared.map((limit) => `forgot ${limitName(limit)}\n`).join('') +
    `${plural(cleared.length, 'limit')} forgotten\n${cleared.length === 0 ? '' : wrap(GO_ON, terminal.width)}`;
  terminal.out(flags.json === true ? `${JSON.stringify(cleared, undefined, 2)}\n` : text());
  return EXIT.completed;
}

function limitText(limit: KnownLimit, { style, width }: Terminal): string {
  const name = style.bold(limitName(limit));
  if (limit.state === 'unreadable')
    return `${name}\n  ${style.red('cannot be read, and is left out:')} ${wrap(limit.why, width, '  ')}`;
  const { state, until, failures, run, repository } = limit;
  const when = `${localTime(until)} (${within(until)})`;
  const what =
    state === 'open' ? `not asked until ${when}` : 'may be asked again; not tried so far';
  const learned = `learned by the run ${run} of ${repository}; ${plural(failures, 'time')} in a row`;
  return `${name}\n  ${style.yellow(what)}\n  ${wrap(learned, width, '  ')}`;
}

/** `claude, subscription, opus  4f2a…` */
function limitName(limit: KnownLimit): string {
  if (limit.state === 'unreadable') return limit.key;
  const { adapter, account, model, key } = limit;
  const words = [adapter, account, model].filter((word) => word !== undefined).join(', ');
  return `${oneLine(words)}  ${key}`;
}
