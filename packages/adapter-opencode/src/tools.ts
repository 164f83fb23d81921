import {
  type AgentEventKind,
  type Fields,
  commandKind,
  cut,
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

const KINDS: ReadonlyMap<string, AgentEventKind> = new Map([
  ['edit', 'edit'],
  ['write', 'edit'],
  ['multiedit', 'edit'],
  ['patch', 'edit'],
  ['apply_patch', 'edit'],
  ['read', 'read'],
  ['list', 'search'],
  ['glob', 'search'],
  ['grep', 'search'],
  ['lsp', 'search'],
  ['webfetch', 'web'],
  ['websearch', 'web'],
  ['task', 'subagent'],
  ['todowrite', 'plan'],
  ['todoread', 'plan'],
  ['question', 'attention'],
]);

const SUBJECTS = ['command', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'name'];

export function actionOf(tool: string, input: Fields): Action {
  const cmd = tool === 'bash' || tool === 'shell' ? text(input['command']) : undefined;
  const file = text(input['filePath']);
  const subject = SUBJECTS.map((key) => text(input[key])).find((found) => found !== undefined);
  return {
    kind: cmd === undefined ? (KINDS.get(tool) ?? 'other') : commandKind(cmd),
    name: cut(tool, 300),
    summary: oneLine(subject === undefined ? tool : `${tool}: ${subject}`),
    ...(file !== undefined && { file: cut(file, 300) }),
    ...(cmd !== undefined && { cmd: cut(cmd, 300) }),
  };
}
