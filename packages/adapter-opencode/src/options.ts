import type { CliOptionRules } from '@devflow/core/adapter';

/** What devflow itself says to the CLI, what takes the work out of devflow's sight, or the watchdog out of OpenCode. */
const OWNED = [
  '--format', '--dir', '--title', '-m', '--model', '--variant', '--agent', '-s', '--session',
  '-c', '--continue', '--fork', '--share', '--command', '--attach', '-p', '--password', '-u',
  '--username', '--port', '-i', '--interactive', '--mini', '--replay', '--replay-limit', '--demo',
  '--auto', '--yolo', '--dangerously-skip-permissions', '--pure', '--', '-h', '--help', '-v',
  '--version',
]; // prettier-ignore

/** Options of a profile with this adapter. */
export const RULES: CliOptionRules = {
  program: 'opencode',
  owned: OWNED,
  // What is left of its flags (logs, files to attach, thinking) gives a review nothing that writes.
  loosensReview: [],
  billing: ['api-key', 'subscription'],
};
