import { parseArgs } from 'node:util';

export const CASES = ['one-run', 'at-once', 'output', 'start-up', 'between-agents'];

export const HELP = `Usage: npm run bench -- [options]

Measures what devflow costs, and says whether its targets are reached.

  --only=<case>   only this case; may be given more than once:
                  ${CASES.join(', ')}
  --quick         a smoke run: few rounds, small sizes; the figures mean little
  --rounds=<n>    rounds of each measurement, in place of each case's own number
  --core=<dir>    the built library to measure; packages/core/dist by default
  --json          the results as JSON on standard output, the table on standard error
  --check         exit 1 where a target is not reached or a case ended early
  --help          this text

The results are also written to bench/results/latest.json.
`;

/**
 * @param {readonly string[]} args
 * @returns {{ only: readonly string[], quick: boolean, rounds: number | undefined, core: string | undefined, json: boolean, check: boolean, help: boolean }}
 * @throws where something is not understood
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: CASES },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      core: { type: 'string' },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = values.only.filter((id) => !CASES.includes(id));
  if (unknown.length > 0)
    throw new Error(`there is no case ${unknown.join(', ')}; the cases are: ${CASES.join(', ')}`);
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error(`--rounds: expected a whole number above 0, found ${values.rounds}`);
  return { ...values, rounds, core: values.core };
}
