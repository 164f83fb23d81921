// Processes that do what they can to outlive their agent, for trials of `devflow stop`. Each has the trial's mark in
// its arguments, which it cannot lose by leaving group, parent or environment: by that it is counted.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const CHAIN = 'chain.sh';
const deaf = (then) => `sh -c 'trap "" TERM HUP INT; ${then}' deaf "$M"`;

/** Lines of shell by kind; `$M` is the mark, `$D` a directory with the chain's script. */
export const KINDS = {
  'in a session of its own': 'setsid sleep "$M" &',
  'with another parent': '(setsid sleep "$M" &)',
  'with an empty environment': 'env -i "$SLEEP" "$M" &',
  'deaf to TERM': `${deaf('while :; do sleep 0.05; done')} &`,
  'deaf, with another parent': `(setsid ${deaf('while :; do sleep 0.05; done')} &)`,
  'that passes itself on each 10 ms': `(setsid sh "$D/${CHAIN}" "$M" &)`,
  'under another name': `bash -c 'exec -a "[kworker/0:1]" sleep "$1"' bash "$M" &`,
  'that is stopped': `(setsid sh -c 'kill -STOP $$' stopped "$M" &)`,
  'that begins when it is to end': `(setsid sh -c 'trap "sleep $1 & exit" TERM; while :; do sleep 0.01; done' late "$M" &)`,
  'that holds the output': '(setsid sleep "$M" >&2 &)',
};

/** These leave marker, group and parents at once: only a control group tells of them. */
export const HIDING_KINDS = {
  'that hides': '(env -i "$SETSID" "$SLEEP" "$M" &)',
  'that hides and passes itself on': `(env -i PATH="$PATH" "$SETSID" sh "$D/${CHAIN}" "$M" &)`,
};

/** One more of them each 10 ms until it is told not to be. */
const CHAIN_SCRIPT = 'sleep 0.01\nsh "$0" "$1" &\nexit\n';

/** @returns a mark that sleep takes for a time */
export function newMark() {
  return `86400.${String(Math.random()).slice(2, 14)}7`;
}

/** The script of an agent that starts these, writes half a file, says so by the file `there`, and works on. */
export function agentScript(lines, mark, directory) {
  writeFileSync(path.join(directory, CHAIN), CHAIN_SCRIPT);
  return [
    `M=${mark} D='${directory}' SLEEP=$(command -v sleep) SETSID=$(command -v setsid)`,
    ...lines,
    'echo half >half.txt',
    `touch "$D/there"`,
    'sleep "$M"',
  ].join('\n');
}

/** Living processes with the mark among their arguments. */
export function processesWith(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && carries(name, mark))
    .map(Number);
}

/** A zombie has no arguments any more. */
function carries(pid, mark) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
  } catch {
    return false; // it is gone
  }
}
