import path from 'node:path';
import type {
  AgentAdapter,
  AgentCapabilities,
  AgentCommand,
  Asked,
  ExecRequest,
  Mode,
} from '../../../adapter/index.js';

/** What an adapter is asked for, for cases that start nothing. */
export function execRequestFor(
  directory: string,
  mode: Mode,
  more: Partial<ExecRequest> = {},
): ExecRequest {
  return {
    phase: 1,
    mode,
    prompt: 'Say hello.',
    cwd: path.join(directory, 'checkout'),
    extraWritableRoots: [],
    confinedBy: 'nobody',
    scratchDir: path.join(directory, 'scratch'),
    ...more,
  };
}

/** All words in which a command can tell the agent something. */
export function wordsOfCommand(adapter: AgentAdapter, request: ExecRequest): string[] {
  const { program, args, stdin, files = {} }: AgentCommand = adapter.execCommand(request);
  return [
    program,
    ...args,
    stdin,
    ...Object.values(files),
    ...Object.entries(adapter.extraEnv?.(request) ?? {}).flat(),
  ];
}

/** What devflow may ask of an agent besides a prompt. */
export interface Askable {
  readonly asked: Asked;
  readonly capability: keyof AgentCapabilities;
  readonly request: Partial<ExecRequest>;
  /** What must come through to the agent. */
  readonly word: string;
}

/** All that the adapter claims to take. */
export function askable({ capabilities }: AgentAdapter): Askable[] {
  const known = capabilities.effort;
  const effort = (Array.isArray(known) ? known[0] : undefined) ?? 'high';
  const all: readonly Askable[] = [
    {
      asked: 'model',
      capability: 'models',
      request: { model: 'conformance/model' },
      word: 'conformance/model',
    },
    { asked: 'effort', capability: 'effort', request: { effort }, word: effort },
    {
      asked: 'instructions',
      capability: 'instructions',
      request: { instructions: 'Conformance instructions.' },
      word: 'Conformance instructions.',
    },
    {
      asked: 'mcp',
      capability: 'mcp',
      request: { mcp: { conformance: { url: 'http://127.0.0.1:9/mcp' } } },
      word: '127.0.0.1:9/mcp',
    },
    {
      asked: 'outputSchema',
      capability: 'structuredOutput',
      request: { outputSchema: { type: 'object', properties: { conformanceField: {} } } },
      word: 'conformanceField',
    },
    {
      asked: 'sessionId',
      capability: 'continue',
      request: { sessionId: 'c0ffee00-0000-4000-8000-000000000002' },
      word: 'c0ffee00-0000-4000-8000-000000000002',
    },
  ];
  return all.filter(({ capability }) => capabilities[capability] === true);
}
