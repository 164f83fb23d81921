import type { PhaseDefinition, WorkflowDefinition } from '@devflow/core';

/**
 * Plain JavaScript that imports nothing: it can be read in any repository, with devflow installed there or not,
 * whatever the repository is written in. Its type comment gives completion where devflow is installed.
 */
export const CONFIG_FILE = 'devflow.config.mjs';

export function promptFile(phase: string): string {
  return `.devflow/prompts/${phase}.md`;
}

/** A workflow as a configuration to change, with its prompts in files. */
export function configTemplate({ name, phases }: WorkflowDefinition): string {
  return `// The workflow of this repository. \`devflow run "…" --dry-run\` shows what it comes to.
// Every run keeps its own copy: a change here counts for later runs only.

/** @type {import('devflow').DevflowConfig} */
export default {
  name: '${name}',
${variablesText(phases)}
  // For every phase that does not say otherwise.
  defaults: {
    agent: 'claude',       // or several, ['claude', 'fast']: the next is asked where one has reached its limit
    // model: 'sonnet',
    // timeout: '1h',         // one attempt, from its start to its end
    // idleTimeout: '15m',    // silent, with no tool at work
    // retries: 1,            // further attempts after one that was not completed; or { failed: 2, idle: 0 }
    // retryDelay: '2s',      // before them, doubled for each with the same outcome
  },

  // Agents under a name of your own; a phase takes one by \`agent: 'mine'\`.
  // profiles: {
  //   careful: { model: 'opus', effort: 'high', instructionsFile: '.devflow/instructions.md' }, // a file of yours: write it first
  //   fast: { adapter: 'opencode', model: 'openai/gpt-5-mini', envFrom: ['OPENAI_API_KEY'] },
  //   mine: { adapter: 'command', command: ['my-agent', '--headless'], envFrom: ['MY_AGENT_KEY'] },
  // },

  // A run works in a worktree of its own, outside this checkout. What git ignores is not there.
  worktree: {
    // copy: ['.env'],
    // setup: [{ command: ['npm', 'ci'], timeout: '10m' }],
  },

  // 'none': nobody confines the agent, it can do whatever you can. 'own': its own sandbox, if it has one.
  sandbox: 'none',

  // All attempts of a run together.
  maxAttempts: 20,

  // What they may spend, by the agents' own figures; \`devflow resume --budget usd=10\` allows more. A phase can have its own.
  // budget: { usd: 5, tokens: 2_000_000, wallClock: '4h', enforce: 'between-attempts' },

  // Who is told that a run asks, waits, has failed or is complete. A webhook or the desktop too: docs/waiting.md.
  // notify: [{ command: ['./tell.sh'], on: ['gate', 'failed'] }],

  // In prompts: {{task}}, {{phase.name}}, {{run.branch}}, {{run.base}}, {{run.since}} (what the change is counted from),
  // {{run.diff}} (the change), {{vars.name}} (of \`variables\`, or \`--var\`), and of an earlier phase {{phases.plan.summary}},
  // .text, .output, .outcome, .reasons, .artifacts, .events.
  //
  // requires: answer (the agent's own), commit, clean, verdict (pass or gaps), changes, files, checks;
  // where it is left out, all that can be asked of the phase. What a phase can have besides (docs/evidence.md):
  //   checks: [{ command: ['npm', 'test'], timeout: '10m' }],   // must pass; checkFrom: 'base' runs them with what is protected as it was
  //   protect: ['test/**', 'package.json#scripts.test'],        // may not be changed
  //   changes: { must: ['src/**'], mustNot: ['docs/**'] },      // paths that must change, and that must not
  //   files: ['CHANGELOG.md'],                                  // must be there
  //   answer: { type: 'object', required: ['risk'] },           // JSON Schema of the answer's output
  //   when: 'task.contains("docs")',                            // else it is skipped
  //   gate: { when: 'after', message: 'Is it so?' },            // a person decides: docs/gates.md
  //   handOver: { artifacts: ['docs/plan.md'] },                // files for {{phases.plan.artifacts}}: docs/hand-over.md
  //   onRejected: { goto: 'code', max: 3 },                     // and onGaps, onFailed: where it goes back to
  phases: [
${phases.map(phaseText).join('\n')}
  ],
};

// Code by name, for \`preflight: [{ hook: 'name' }]\`: take \`hooks\` into the object above.
//   hooks: {
//     async name({ task, phase, cwd }) {
//       return [{ code: 'NOT_NOW', message: 'what stands in the way', hint: 'what to do about it' }];
//     },
//   },
`;
}

/** Where a check is a variable, a command that most will change. */
function variablesText(phases: readonly PhaseDefinition[]): string {
  if (!JSON.stringify(phases).includes('{{vars.check}}')) return '';
  return `
  // The command that decides, for a shell: yours. For one run: \`--var check="…"\`.
  variables: { check: 'npm test' },
`;
}

/** How each phase is written: its prompt in a file, all else as it is. */
function phaseText({ prompt: _, id, name, ...rest }: PhaseDefinition): string {
  const entries = { id, name, promptFile: promptFile(name), ...rest };
  const lines = Object.entries(entries).map(([key, value]) => `${key}: ${literal(value)},`);
  // Where code is made is the place for the repository's own tests.
  if (Object.keys(rest).every((key) => key === 'retries'))
    lines.push("// checks: [{ command: ['npm', 'test'], timeout: '10m' }],");
  return `    {\n${lines.map((line) => `      ${line}`).join('\n')}\n    },`;
}

/** Data as it is written in JavaScript, on one line. */
function literal(value: unknown): string {
  if (typeof value === 'string') {
    const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n');
    return `'${escaped}'`;
  }
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([key, member]) => `${key}: ${literal(member)}`);
  return `{ ${entries.join(', ')} }`;
}
