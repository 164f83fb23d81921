import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type AgentAdapter,
  type AgentEventParser,
  type AgentResult,
  type CliOptions,
  type ExecRequest,
  type Fields,
  type FoundEvent,
  combine,
  fields,
  inspectProgram,
  number,
  otherEvent,
  plainLine,
  problem,
  readEntry,
  readCliOptions,
  text,
} from '../src/adapter/index.js';
import type { AdapterSubject, Wiring } from '../src/testing/index.js';

/** How a test breaks the adapter: what it puts in the place of its parts. */
export type Breakage = (good: AgentAdapter) => {
  readonly [Part in keyof AgentAdapter]?: AgentAdapter[Part] | undefined;
};

const RULES = { program: 'parrot', owned: [], loosensReview: [], billing: ['free'] };

/** A small adapter that keeps the contract, for an agent that speaks JSON lines. */
export function parrot(
  breakage: Breakage = () => ({}),
  options: CliOptions = { program: 'parrot', args: [] },
): AgentAdapter {
  const good: AgentAdapter = {
    name: 'parrot',
    capabilities: {
      modes: ['work', 'review'],
      continue: true,
      fork: true,
      models: true,
      instructions: true,
      usage: { tokens: 'at-end', usd: 'at-end' },
    },
    configure: (given) => parrot(breakage, readCliOptions(given, RULES)),
    execCommand: (request) => ({
      program: options.program,
      args: argsOf(request),
      stdin: request.prompt,
    }),
    completionSignalDetected: (output) => resultOf(output.split('\n')).turn === 'finished',
    async preflight(probe) {
      const found = await inspectProgram(probe, options.program, {
        label: 'Parrot',
        minimumVersion: '1.0.0',
        checkedVersion: '1.2.3',
        install: 'build it',
        helpArgs: ['--help'],
        flags: ['--json', '--sandbox', '--session', '--fork', '--model', '--system'],
      });
      const login = await probe.ask(options.program, ['login', 'status']);
      const isOut = probe.checkLogin && login.stdout.trim() === 'logged out';
      return combine([found, isOut ? problem('AGENT_NOT_LOGGED_IN', 'No login.', 'Log in.') : {}]);
    },
    createParser: parser,
  };
  return Object.assign({ ...good }, breakage(good));
}

function argsOf({ mode, model, instructions, sessionId, fork }: ExecRequest): string[] {
  return [
    '--json',
    `--sandbox=${mode === 'review' ? 'read-only' : 'write'}`,
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(instructions === undefined ? [] : [`--system=${instructions}`]),
    ...(sessionId === undefined ? [] : [`--session=${sessionId}`]),
    ...(fork === true ? ['--fork'] : []),
  ];
}

function parser(): AgentEventParser {
  const lines: string[] = [];
  return {
    line(line) {
      if (line === '') return [];
      lines.push(line);
      const { turn } = resultOf(lines);
      const state = { open: 'working', finished: 'turn_finished', failed: 'failed', unknown: 'unknown' }[turn]; // prettier-ignore
      return [{ v: 1, ...eventOf(line), state: state as 'working', child: false }]; // one of the four
    },
    openCalls: () => 0,
    result: () => resultOf(lines),
  };
}

function eventOf(line: string): FoundEvent {
  const entry = readEntry(line);
  if (entry === undefined) return plainLine(line);
  const name = text(entry['type']) ?? 'unknown';
  const kind = ({ begin: 'session', said: 'text', ran: 'command', over: 'end' } as const)[name];
  return kind === undefined ? otherEvent(name, line) : { kind, name, summary: name };
}

export function resultOf(lines: readonly string[]): AgentResult {
  const entries = lines.map(readEntry).filter((entry): entry is Fields => entry !== undefined);
  const last = (type: string) => entries.findLast((entry) => entry['type'] === type);
  const over = last('over');
  const said = text(last('said')?.['text']);
  const session = text(last('begin')?.['session']);
  const usage = fields(over?.['usage']);
  const cost = number(over?.['cost']);
  const [input, output] = [number(usage?.['input']), number(usage?.['output'])];
  return {
    turn: over === undefined ? 'open' : over['ok'] === true ? 'finished' : 'failed',
    ...(said !== undefined && { finalText: said }),
    ...(session !== undefined && { sessionId: session }),
    ...(input !== undefined && output !== undefined && {
      usage: { inputTokens: input, outputTokens: output },
    }),
    ...(cost !== undefined && { costUsd: cost }),
  }; // prettier-ignore
}

const FINAL = 'It is done.\n\nDEVFLOW_RESULT: {"status":"success"}';
const stream = (...entries: object[]) =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** The adapter with its agent's output, its answers and its wiring. */
export function parrotSubject(breakage?: Breakage): AdapterSubject {
  const answers = [
    { args: ['--version'], stdout: 'parrot 1.2.3\n' },
    { args: ['--help'], stdout: '--json --sandbox --session --fork --model --system\n' },
  ];
  const login = (said: string) => ({ args: ['login', 'status'], stdout: `${said}\n` });
  return {
    adapter: parrot(breakage),
    captures: {
      success: {
        stdout: stream(
          { type: 'begin', session: 's-1' },
          { type: 'said', text: 'I will read it.' },
          { type: 'ran', command: 'cat README.md', output: '# A repository' },
          { type: 'said', text: FINAL },
          { type: 'over', ok: true, usage: { input: 12, output: 3 }, cost: 0.5 },
        ),
        status: 0,
        says: {
          finalText: FINAL,
          sessionId: 's-1',
          usage: { inputTokens: 12, outputTokens: 3 },
          costUsd: 0.5,
        },
      },
      error: {
        stdout: stream({ type: 'begin', session: 's-2' }, { type: 'over', ok: false }),
        status: 1,
      },
    },
    stub: {
      answers: [...answers, login('logged in')],
      loggedOut: { answers: [login('logged out')] },
    },
    wire: wiring(),
  };
}

const HOOKS = '.parrot/hooks';

/** Adds one line to the hooks of the agent, once. @param broken what a test puts in its place */
export function wiring(broken: Partial<Wiring> = {}): Wiring {
  return {
    foreign: { [HOOKS]: { content: 'somebody else\n', keeps: 'somebody else' } },
    run: (args, { home }) => {
      const file = path.join(home, HOOKS);
      const hooks = readFileSync(file, 'utf8');
      if (!args.includes('--dry-run') && !hooks.includes('devflow'))
        writeFileSync(file, `${hooks}devflow\n`);
      return Promise.resolve({ status: 0 });
    },
    ...broken,
  };
}
