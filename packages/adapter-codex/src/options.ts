import type { CliOptionRules } from '@devflow/core/adapter';

/** What devflow itself says to the CLI, or what takes the work out of devflow's sight. */
const OWNED = [
  '--json', '-s', '--sandbox', '--approve-for-me', '--dangerously-bypass-approvals-and-sandbox',
  '-C', '--cd', '--worktree', '-m', '--model', '--output-schema', '--color', '--ignore-rules',
  '--ephemeral', '--trust', '--remote', '--remote-auth-token-env', '-h', '--help', '-V', '--version',
]; // prettier-ignore

/** What may give a review something that writes: refused there, by preflight. Any setting can be said by `-c`. */
const LOOSENS_REVIEW = [
  '-c', '--config', '--enable', '--disable', '--add-dir', '--dangerously-bypass-hook-trust',
]; // prettier-ignore

/** The ways to be billed that preflight tells apart; `provider`: a model provider of the user's own configuration. */
const BILLING = ['api-key', 'subscription', 'access-token', 'provider'];

/** Options of a profile with this adapter. */
export const RULES: CliOptionRules = {
  program: 'codex',
  owned: OWNED,
  loosensReview: LOOSENS_REVIEW,
  billing: BILLING,
};
