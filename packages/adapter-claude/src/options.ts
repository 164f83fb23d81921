import type { CliOptionRules } from '@devflow/core/adapter';

/** What devflow itself says to the CLI, or what takes the work out of devflow's sight. */
const OWNED = [
  '-p', '--print', '--output-format', '--input-format', '--verbose', '--model', '-r', '--resume',
  '-c', '--continue', '--session-id', '--fork-session', '--from-pr', '--no-session-persistence',
  '--teleport', '--dangerously-skip-permissions', '--permission-mode', '--permission-prompts',
  '--tools', '--strict-mcp-config', '--effort', '--append-system-prompt',
  '--append-system-prompt-file', '--system-prompt-snapshot', '--json-schema', '--setting-sources', '-w', '--worktree', '--tmux', '--bg',
  '--background', '--cloud', '--desktop', '--remote-control', '-h', '--help', '-v', '--version',
]; // prettier-ignore

/** What may give a review something that writes: refused there, by preflight. */
const LOOSENS_REVIEW = [
  '--mcp-config', '--settings', '--plugin-dir', '--plugin-url', '--agent', '--agents', '--ide',
  '--allowedTools', '--allowed-tools', '--chrome', '--brief', '--add-dir',
]; // prettier-ignore

/** The ways to be billed that `claude auth status` tells apart, cloud providers aside. */
const BILLING = ['api-key', 'subscription', 'auth-token'];

/** Options of a profile with this adapter. */
export const RULES: CliOptionRules = {
  program: 'claude',
  owned: OWNED,
  loosensReview: LOOSENS_REVIEW,
  billing: BILLING,
};
