import { type AgentEventKind, cut } from '@devflow/core/adapter';

import { type Fields, items, text } from './stream.js';

/** What a tool call does, in devflow's vocabulary. */
export interface Action {
  readonly kind: AgentEventKind;
  /** The tool. */
  readonly name: string;
  readonly summary: string;
  readonly file?: string;
  readonly cmd?: string;
}

const KINDS: Readonly<Record<string, AgentEventKind>> = {
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Write: 'edit',
  Read: 'read',
  Glob: 'search',
  Grep: 'search',
  ToolSearch: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  Agent: 'subagent',
  Task: 'subagent',
  TaskCreate: 'plan',
  TaskUpdate: 'plan',
  TodoWrite: 'plan',
  EnterPlanMode: 'plan',
  ExitPlanMode: 'plan',
  AskUserQuestion: 'attention',
};

// Only for display: a command that is taken for a test run, or is not, changes no judgement.
const TEST_RUN =
  /\b(?:(?:npm|pnpm|yarn|bun) (?:run )?test|vitest|jest|mocha|pytest|tox|rspec|phpunit|ctest|(?:go|cargo|deno|mvn|gradle) test|node --test|make (?:test|check))\b/;
const GIT_CALL = /^(?:cd \S+ && )?git /;

export function actionOf(tool: string, input: Fields): Action {
  const cmd = text(input['command']);
  const file = text(input['file_path']) ?? text(input['notebook_path']);
  const subject =
    cmd ??
    file ??
    text(input['pattern']) ??
    text(input['query']) ??
    text(input['url']) ??
    text(input['description']);
  return {
    kind: cmd === undefined ? (KINDS[tool] ?? 'other') : commandKind(cmd),
    name: tool,
    summary: oneLine(subject === undefined ? tool : `${tool}: ${subject}`),
    ...(file !== undefined && { file: cut(file, 300) }),
    ...(cmd !== undefined && { cmd: cut(cmd, 300) }),
  };
}

function commandKind(cmd: string): AgentEventKind {
  if (TEST_RUN.test(cmd.slice(0, 1000))) return 'test';
  return GIT_CALL.test(cmd) ? 'git' : 'command';
}

/** What a tool gave back: text, or a list of blocks of which some are text. */
export function outputOf(content: unknown): string | undefined {
  const whole =
    text(content) ??
    items(content)
      .map((block) => cut(text(block['text']) ?? '', 900))
      .join('\n');
  return whole === '' ? undefined : cut(whole, 900);
}

export function oneLine(words: string): string {
  return cut(words.slice(0, 1000).replaceAll(/\s+/g, ' ').trim(), 300);
}
