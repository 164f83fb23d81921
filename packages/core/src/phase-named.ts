import { suggestion } from './adapter/index.js';
import { DevflowError } from './errors.js';
import type { Phase } from './workflow/workflow.js';

/** The phase of that number or name. @param option that asks for it @throws DevflowError OPTION_INVALID with the phases there are */
export function phaseNamed(
  phases: readonly Phase[],
  option: string,
  asked: number | string,
): Phase {
  const phase = phases.find(({ id, name }) => String(id) === String(asked) || name === asked);
  if (phase !== undefined) return phase;
  const known = phases.map(({ id, name }) => `${id} ${name}`).join(', ');
  const near = suggestion(
    String(asked),
    phases.map(({ name }) => name),
  );
  throw new DevflowError('OPTION_INVALID', `${option}: there is no phase "${asked}"`, {
    hint: near.startsWith('did') ? near : `The phases are: ${known}.`,
  });
}
