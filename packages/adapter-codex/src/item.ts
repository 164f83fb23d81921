import {
  type AgentEventKind,
  type Fields,
  commandKind,
  cut,
  fields,
  items,
  oneLine,
  text,
} from '@devflow/core/adapter';

/** What an item of the stream is, in devflow's vocabulary. */
interface Action {
  readonly kind: AgentEventKind;
  readonly name: string;
  readonly summary: string;
  readonly file?: string;
  readonly cmd?: string;
  readonly detail?: string;
}

/** The action of an item that is one; undefined for words, warnings and what is not known. */
export function actionOf(item: Fields): Action | undefined {
  const name = text(item['type']) ?? '';
  const action = (kind: AgentEventKind, subject: string | undefined) => {
    return { kind, name, summary: oneLine(subject === undefined ? name : `${name}: ${subject}`) };
  };
  switch (name) {
    case 'command_execution': {
      const cmd = innerCommand(text(item['command']) ?? '');
      const detail = text(item['aggregated_output']);
      return {
        ...action(commandKind(cmd), cmd),
        cmd: cut(cmd, 300),
        ...(detail !== undefined && { detail: cut(detail, 900) }),
      };
    }
    case 'file_change': {
      const changes = items(item['changes']).map(({ kind, path }) => [text(kind), text(path)]);
      const file = changes[0]?.[1];
      const said = changes.slice(0, 20).map((change) => change.filter(Boolean).join(' '));
      return {
        ...action('edit', said.join(', ')),
        ...(file !== undefined && { file: cut(file, 300) }),
      };
    }
    case 'mcp_tool_call': {
      const detail = toolOutput(item);
      const tool = [item['server'], item['tool']].map(text).filter(Boolean).join('.');
      return { ...action('other', tool), ...(detail !== undefined && { detail }) };
    }
    case 'web_search':
      return action('web', text(item['query']));
    case 'collab_tool_call':
      return action('subagent', text(item['prompt']) ?? text(item['tool']));
    case 'todo_list':
      return action('plan', planOf(item));
    default:
      return undefined;
  }
}

/** Items that the agent waits for. A plan stays open until the turn ends, and keeps nobody waiting. */
export function isCall(item: Fields): boolean {
  return item['type'] !== 'todo_list' && actionOf(item) !== undefined;
}

/** The item's own word for how it went; undefined where it has none. */
export function wentWell({ status }: Fields): boolean | undefined {
  return status === undefined ? undefined : status === 'completed';
}

const MCP_REFUSED = 'MCP tool call requires approval, but approval policy is never';

/** Was it refused by the agent's own rules, rather than tried? */
export function isDenied(item: Fields): boolean {
  return item['status'] === 'declined' || fields(item['error'])?.['message'] === MCP_REFUSED;
}

/**
 * A command that Codex's sandbox could not start, by the words of bubblewrap that stand in place of its
 * output. A command that calls bubblewrap itself can say the same.
 */
export function sandboxError(item: Fields): string | undefined {
  const output = text(item['aggregated_output']) ?? '';
  const fromSandbox = wentWell(item) === false && /^bwrap: [^\n]+\n?$/.test(output);
  return fromSandbox && !text(item['command'])?.includes('bwrap') ? output.trim() : undefined;
}

/** What the shell is told: Codex starts each command as `/bin/bash -lc '…'`, in quotes where it needs them. */
function innerCommand(command: string): string {
  const found = /^\S+sh -l?c (?:'([\s\S]*)'|"([\s\S]*)"|(\S+))$/.exec(command);
  const [, plain, escaped, word] = found ?? [];
  return plain ?? escaped?.replaceAll(/\\(["\\$`])/g, '$1') ?? word ?? command;
}

function toolOutput(item: Fields): string | undefined {
  const failed = text(fields(item['error'])?.['message']);
  if (failed !== undefined) return cut(failed, 900);
  const said = items(fields(item['result'])?.['content']).map((block) => text(block['text']) ?? '');
  return said.join('') === '' ? undefined : cut(said.join('\n'), 900);
}

function planOf(item: Fields): string {
  const steps = items(item['items']);
  const next = steps.find(({ completed }) => completed !== true);
  const done = steps.filter(({ completed }) => completed === true).length;
  return `${done} of ${steps.length} done, ${text(next?.['text']) ?? 'nothing left'}`;
}
