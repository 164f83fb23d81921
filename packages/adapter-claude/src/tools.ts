import {
  type AgentEventKind,
  type Fields,
  commandKind,
  cut,
  items,
  oneLine,
  text,
} from '@devflow/core/adapter';

/** What a tool call does, in devflow's vocabulary. */
export interface Action {
  readonly kind: AgentEventKind;
  /** The tool. */
  readonly name: string;
  readonly summary: string;
  readonly file?: string;
  readonly cmd?: string;
}

/** A map, and no object: a tool may be called `constructor`. */
const KINDS = new Map<string, AgentEventKind>([
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Write', 'edit'],
  ['Read', 'read'],
  ['Glob', 'search'],
  ['Grep', 'search'],
  ['ToolSearch', 'search'],
  ['WebFetch', 'web'],
  ['WebSearch', 'web'],
  ['Agent', 'subagent'],
  ['Task', 'subagent'],
  ['TaskCreate', 'plan'],
  ['TaskUpdate', 'plan'],
  ['TodoWrite', 'plan'],
  ['EnterPlanMode', 'plan'],
  ['ExitPlanMode', 'plan'],
  ['AskUserQuestion', 'attention'],
]);

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
    kind: cmd === undefined ? (KINDS.get(tool) ?? 'other') : commandKind(cmd),
    name: tool,
    summary: oneLine(subject === undefined ? tool : `${tool}: ${subject}`),
    ...(file !== undefined && { file: cut(file, 300) }),
    ...(cmd !== undefined && { cmd: cut(cmd, 300) }),
  };
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
