import { z } from 'zod';
import { describeIssues } from '../workflow/problems.js';
import {
  type AgentAdapter,
  AdapterOptionsError,
  type AgentCommand,
  type ExecRequest,
  readAnswer,
  readMarker,
} from '../adapter/index.js';

const optionsSchema = z.strictObject({
  command: z
    .array(z.string())
    .min(1, 'expected a program and its arguments, such as ["node", "agent.js"]'),
  promptBy: z.enum(['stdin', 'file']).optional(),
  completionSignal: z
    .union([
      z.string().min(1),
      z.strictObject({ pattern: z.string().min(1), flags: z.string().optional() }),
    ])
    .optional(),
});

/** Options of a profile with `adapter: 'command'`. */
export type CommandOptions = z.infer<typeof optionsSchema>;

/** In how many of the last lines that are not empty the completion signal may stand. */
const SIGNAL_LINES = 3;
const PROMPT_FILE = 'prompt.md';

/**
 * Any program as an agent: its standard output is its text. The prompt comes on its standard input, or
 * in a file whose path is its last argument (`promptBy: 'file'`).
 */
export function command(options?: CommandOptions): AgentAdapter {
  return options === undefined ? unconfigured() : configured(options);
}

function unconfigured(): AgentAdapter {
  const notConfigured = (): never => {
    throw new AdapterOptionsError(['command: expected a program and its arguments, found nothing']);
  };
  return {
    name: 'command',
    capabilities: { modes: ['work', 'review'] },
    configure: (options) => configured(parseOptions(options)),
    execCommand: notConfigured,
    completionSignalDetected: notConfigured,
  };
}

function configured(options: CommandOptions): AgentAdapter {
  const [program = '', ...args] = options.command;
  const isSignal = signalTest(options.completionSignal);
  return {
    ...unconfigured(),
    execCommand: (request) => execCommand(program, args, options.promptBy ?? 'stdin', request),
    completionSignalDetected: (output) => lastLines(output, SIGNAL_LINES).some(isSignal),
    extraEnv: ({ phase, mode }) => ({ DEVFLOW_PHASE: `${phase}`, DEVFLOW_MODE: mode }),
    async preflight(probe) {
      if ((await probe.find(program)) !== undefined) return { problems: [], notes: [] };
      return {
        problems: [
          {
            code: 'AGENT_NOT_FOUND',
            message: program.includes('/')
              ? `the agent's program "${program}" does not exist, or cannot be executed`
              : `the agent's program "${program}" is not in the PATH of the agent`,
            hint: 'Install it (`chmod +x` if it is yours); or correct `command` in the profile and start a new run.',
          },
        ],
        notes: [],
      };
    },
  };
}

function execCommand(
  program: string,
  args: readonly string[],
  promptBy: 'stdin' | 'file',
  { prompt, scratchDir }: ExecRequest,
): AgentCommand {
  if (promptBy === 'stdin') return { program, args, stdin: prompt };
  return {
    program,
    args: [...args, `${scratchDir}/${PROMPT_FILE}`],
    stdin: '',
    files: { [PROMPT_FILE]: prompt },
  };
}

function parseOptions(options: unknown): CommandOptions {
  const parsed = optionsSchema.safeParse(options);
  const problems = parsed.success
    ? patternProblems(parsed.data)
    : describeIssues(parsed.error, optionsSchema, options);
  if (!parsed.success || problems.length > 0) throw new AdapterOptionsError(problems);
  return parsed.data;
}

function patternProblems({ completionSignal }: CommandOptions): string[] {
  if (typeof completionSignal !== 'object') return [];
  try {
    signalTest(completionSignal);
    return [];
  } catch (error) {
    return [`completionSignal: ${(error as Error).message}`];
  }
}

function signalTest(signal: CommandOptions['completionSignal']): (line: string) => boolean {
  if (signal === undefined) return isAnswer;
  if (typeof signal === 'string') return (line) => line.includes(signal);
  const flags = (signal.flags ?? '').replace(/[gy]/g, ''); // these make a test depend on the one before
  const pattern = new RegExp(signal.pattern, flags);
  return (line) => pattern.test(line);
}

/** As devflow reads it: its own, or the marker of another tool. */
function isAnswer(line: string): boolean {
  return readAnswer(line) !== undefined || readMarker(line)?.answer !== undefined;
}

function lastLines(output: string, count: number): string[] {
  const lines: string[] = [];
  for (let end = output.length; end > 0 && lines.length < count;) {
    const start = output.lastIndexOf('\n', end - 1);
    const line = output.slice(start + 1, end).trim();
    if (line !== '') lines.push(line);
    end = start;
  }
  return lines;
}
