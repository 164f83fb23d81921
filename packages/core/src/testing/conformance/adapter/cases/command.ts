import type { AgentAdapter, Mode } from '../../../../adapter/index.js';
import { type CaseContext, type ConformanceCase, fail, judged } from '../../case.js';
import { whyNoCaptures } from '../captures.js';
import { runThroughEngine } from '../engine.js';
import { placeProgram, stubFile, whyNoStub } from '../place.js';
import { askable, execRequestFor, wordsOfCommand } from '../request.js';
import type { StubCall } from '../stub-program.js';
import type { AdapterSubject } from '../subject.js';

/** Linux refuses one argument of this many bytes, its end counted, whatever the limit for all of them. */
const ARGUMENT_BYTES = 131_072;
const PROMPT_BYTES = 300_000;

export const buildsACommand: ConformanceCase<AdapterSubject> = {
  name: 'builds-a-command',
  deadlineMs: 60_000,
  unsupported: (subject) => whyNoStub(subject) ?? whyNoCaptures(subject),
  async run(context) {
    const { subject, directory } = context;
    const { adapter } = placeProgram(subject, stubFile(subject, directory));
    const { modes } = adapter.capabilities;
    const broken = modes.flatMap((mode) => wrongCommand(adapter, mode, directory));
    // A command that cannot be started proves nothing more.
    if (broken.length > 0) return fail(broken.join('; '));
    const [mode = 'work'] = modes;
    return judged(
      [...unheard(adapter, mode, directory), await promptArrives(context, mode)],
      `a command for ${modes.join(' and ')}; a prompt of ${PROMPT_BYTES} bytes arrives as it is`,
    );
  },
};

function wrongCommand(adapter: AgentAdapter, mode: Mode, directory: string): string[] {
  const request = execRequestFor(directory, mode, { prompt: longTask() });
  const command = adapter.execCommand(request);
  const again = adapter.execCommand(request);
  const { program, args } = command;
  const words = [program, ...args];
  const tooLong = args.filter((arg) => Buffer.byteLength(arg) + 1 > ARGUMENT_BYTES).length;
  const of = (sentence: string) => `${mode}: ${sentence}`;
  return [
    program === '' ? of('the program has no name') : undefined,
    words.some((word) => word.includes('\0')) ? of('an argument holds a NUL') : undefined,
    tooLong > 0 ? of(`${tooLong} arguments are over 128 KiB with a long prompt`) : undefined,
    JSON.stringify(again) === JSON.stringify(command)
      ? undefined
      : of('asked again, it builds another command'),
  ].filter((sentence) => sentence !== undefined);
}

/** Capabilities that are claimed, and of which the agent is told nothing. */
function unheard(adapter: AgentAdapter, mode: Mode, directory: string): string[] {
  return askable(adapter).flatMap(({ capability, request, word }) => {
    const words = wordsOfCommand(adapter, execRequestFor(directory, mode, request));
    return words.some((said) => said.includes(word))
      ? []
      : [`it claims ${capability}, and the agent is not told of it`];
  });
}

async function promptArrives(
  context: CaseContext<AdapterSubject>,
  mode: Mode,
): Promise<string | undefined> {
  const task = longTask();
  const { prompt, stub } = await runThroughEngine(context, { mode, task });
  const [call] = stub.calls();
  if (call === undefined) return 'the agent was not started';
  const { args, stdin, files } = call;
  context.observe(
    `${args.length} arguments, ${stdin.length} bytes on stdin, ${files.length} files named`,
  );
  if (!prompt.includes(task)) throw new Error('devflow itself changed the task');
  return received(call).some((part) => part.includes(prompt))
    ? undefined
    : 'the prompt did not reach the agent byte for byte';
}

function received({ args, stdin, files }: StubCall): Buffer[] {
  return [stdin, ...files, ...args.map((arg) => Buffer.from(arg))];
}

/** Awkward for shells and decoders, and longer than an argument may be. */
function longTask(): string {
  const line = `é 𝄞 'single' "double" \`ticks\` $HOME $(true) \\n %s {{no}} <b> --flag;\ttab\n`;
  const lines = Math.ceil(PROMPT_BYTES / Buffer.byteLength(line));
  return Array.from({ length: lines }, (_, index) => `${index} ${line}`).join('');
}
