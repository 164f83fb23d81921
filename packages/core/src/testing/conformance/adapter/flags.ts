import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { AgentAdapter, Asked, ExecRequest, Mode } from '../../../adapter/index.js';
import type { CaseContext } from '../case.js';
import { placeProgram, stubFile } from './place.js';
import { askPreflight } from './preflight.js';
import { askable, execRequestFor } from './request.js';
import { writeStubProgram } from './stub-program.js';
import type { AdapterSubject, StubAnswer } from './subject.js';

/**
 * Flags that a command may give and the agent may not know, whatever is asked of it. Proven in two steps: a
 * help that lacks one of them must be a problem of preflight; then preflight is asked of the program that is
 * installed.
 */
export async function unknownFlags(
  context: CaseContext<AdapterSubject>,
  mode: Mode,
): Promise<string[]> {
  const { subject, directory, observe } = context;
  const unlooked = (subject.stub?.answers ?? []).some(isHelp)
    ? await notLookedFor(context, mode)
    : [];
  const { realBinary: program } = subject;
  if (program === undefined) {
    observe(`${mode}: the agent's program is not installed here: its own help was not asked`);
    return unlooked;
  }
  const { adapter } = placeProgram(subject, program);
  const question = { directory, program, mode, asks: asksOf(adapter) };
  const { problems, version } = await askPreflight(subject, adapter, question);
  observe(`${mode}: ${program} is version ${version ?? 'unknown'}`);
  const unknown = problems.filter(({ code }) => code === 'AGENT_FLAG_UNKNOWN');
  return [...unlooked, ...unknown.map(({ message }) => `${mode}: ${message}`)];
}

async function notLookedFor(context: CaseContext<AdapterSubject>, mode: Mode): Promise<string[]> {
  const { subject, directory, observe } = context;
  const { adapter } = placeProgram(subject, stubFile(subject, directory));
  const unlisted = subject.stub?.unlistedFlags ?? [];
  const flags = flagsGiven(adapter, mode, directory).filter((flag) => !unlisted.includes(flag));
  observe(`${mode}: the flags ${flags.join(' ') || '(none)'} are looked for in the help`);
  if ((await problemsWithout(context, mode, undefined)) > 0)
    return [`${mode}: preflight finds a problem though the help has every flag`];
  const missed: string[] = [];
  for (const flag of flags)
    if ((await problemsWithout(context, mode, flag)) === 0)
      missed.push(`${mode}: ${flag} is given, and preflight does not look for it in the help`);
  return missed;
}

/** How many problems preflight finds where the help lacks a flag. */
async function problemsWithout(
  { subject, directory }: CaseContext<AdapterSubject>,
  mode: Mode,
  flag: string | undefined,
): Promise<number> {
  const place = path.join(directory, `${mode}-without${flag ?? ''}`);
  mkdirSync(place);
  const program = stubFile(subject, place);
  const answers = subject.stub?.answers ?? [];
  writeStubProgram(program, {
    answers: flag === undefined ? answers : answers.map((answer) => withoutFlag(answer, flag)),
    stdout: '',
  });
  const { adapter } = placeProgram(subject, program);
  const question = { directory: place, program, mode, asks: asksOf(adapter) };
  return (await askPreflight(subject, adapter, question)).problems.length;
}

function asksOf(adapter: AgentAdapter): Asked[] {
  return askable(adapter).map(({ asked }) => asked);
}

/** Long flags, each once and without its value: of the plain command, of one that asks for all at once, and of one that continues a session as well. */
function flagsGiven(adapter: AgentAdapter, mode: Mode, directory: string): string[] {
  const all = askable(adapter);
  const begun = all.filter(({ asked }) => asked !== 'sessionId');
  const args = [[], begun, all].flatMap((asked) => {
    const more = Object.assign({}, ...asked.map(({ request }) => request)) as Partial<ExecRequest>; // of requests
    return adapter.execCommand(execRequestFor(directory, mode, more)).args;
  });
  const flags = args.flatMap((arg) => /^--[A-Za-z][\w-]*(?==|$)/.exec(arg)?.[0] ?? []);
  return [...new Set(flags)];
}

function isHelp({ args }: StubAnswer): boolean {
  return args.some((word) => word === '--help' || word === '-h' || word === 'help');
}

function withoutFlag(answer: StubAnswer, flag: string): StubAnswer {
  if (!isHelp(answer)) return answer;
  const pattern = new RegExp(String.raw`${flag}(?![\w-])`, 'g');
  return { ...answer, stdout: answer.stdout.replaceAll(pattern, '') };
}
