import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AdapterPreflight, Mode } from '../../../../adapter/index.js';
import { type CaseContext, type ConformanceCase, judged } from '../../case.js';
import { configured, namesProgram, placeProgram, stubFile, whyNoStub } from '../place.js';
import { askPreflight } from '../preflight.js';
import { writeStubProgram } from '../stub-program.js';
import type { AdapterSubject, StubAnswer, StubState, WiringPlace } from '../subject.js';
import { NO_PREFLIGHT, isVague } from './any-preflight.js';

export const preflightHonest: ConformanceCase<AdapterSubject> = {
  name: 'preflight-honest',
  deadlineMs: 60_000,
  unsupported: (subject) => whyNoStub(subject) ?? whyBlind(subject),
  async run(context) {
    const { stub = {}, adapter } = context.subject;
    const answers = stub.answers ?? [];
    const aged = answers.map(asOldVersion);
    const broken: (string | undefined)[] = [];
    for (const mode of adapter.capabilities.modes) {
      const { problems } = await askOn(context, `right-${mode}`, mode, stub);
      const said = problems.map(({ code, message }) => `${code} ${message}`).join(' ');
      broken.push(problems.length === 0 ? undefined : `${mode}: all is right, and it says ${said}`);
    }
    const [mode = 'work'] = adapter.capabilities.modes;
    if (namesProgram(context.subject))
      broken.push(...isSaid('a missing program', await askOn(context, 'missing', mode)));
    if (aged.some((answer, index) => answer !== answers[index])) {
      const old = await askOn(context, 'old', mode, { ...stub, answers: aged });
      broken.push(...isSaid('version 0.0.1', old));
    } else context.observe('the subject gives no answer with a version: none was asked about');
    if (stub.loggedOut !== undefined) {
      const found = await askOn(context, 'logged-out', mode, loggedOutOf(stub, stub.loggedOut));
      broken.push(...isSaid('a missing login', found));
    } else context.observe('the subject does not say how the agent is logged out: not asked about');
    return judged(broken, 'what stands in the way is said with what to do, and nothing else');
  },
};

function whyBlind(subject: AdapterSubject): string | undefined {
  if (configured(subject).preflight === undefined) return NO_PREFLIGHT;
  const { answers = [], loggedOut } = subject.stub ?? {};
  return namesProgram(subject) || answers.length > 0 || loggedOut !== undefined
    ? undefined
    : 'its own program starts the agent, which preflight does not see';
}

/** Preflight on a machine of its own. @param state undefined where the program is missing */
async function askOn(
  { subject, directory, observe }: CaseContext<AdapterSubject>,
  name: string,
  mode: Mode,
  state?: StubState,
): Promise<AdapterPreflight> {
  const place = path.join(directory, name);
  mkdirSync(place);
  const file = stubFile(subject, place);
  const stub =
    state === undefined
      ? undefined
      : writeStubProgram(file, { answers: state.answers ?? [], stdout: '' });
  const found = await askPreflight(subject, placeProgram(subject, file).adapter, {
    directory: place,
    program: file,
    mode,
    checkLogin: true,
    ...(state === undefined ? { searched: pathWithout(path.basename(file)) } : { state }),
  });
  observe(`${name}: ${found.problems.map(({ code }) => code).join(', ') || 'no problem'}`);
  for (const { args } of stub?.calls() ?? [])
    observe(`${name}: asked what the stub has no answer to: ${args.join(' ')}`);
  return found;
}

function isSaid(what: string, { problems }: AdapterPreflight): (string | undefined)[] {
  return [
    problems.length > 0 ? undefined : `${what} is no problem to it`,
    problems.some(isVague) ? `${what}: a problem without a code, words or what to do` : undefined,
  ];
}

function loggedOutOf(stub: StubState, loggedOut: StubState): StubState {
  const answers = [...(loggedOut.answers ?? []), ...(stub.answers ?? [])];
  return { ...stub, ...loggedOut, answers };
}

/** The answer of a version that is older than any. */
function asOldVersion(answer: StubAnswer): StubAnswer {
  const version = /\d+\.\d+\.\d+/;
  const asksVersion = answer.args.some((word) => /^(?:-v|-V|--version|version)$/.test(word));
  if (!asksVersion || !version.test(answer.stdout)) return answer;
  return { ...answer, stdout: answer.stdout.replace(version, '0.0.1') };
}

/** The caller's PATH without the directories that have a program of this name. */
function pathWithout(program: string): string {
  const directories = (process.env['PATH'] ?? '').split(':');
  return directories.filter((one) => !existsSync(path.join(one, program))).join(':');
}

export const wireIdempotent: ConformanceCase<AdapterSubject> = {
  name: 'wire-idempotent',
  unsupported: ({ wire }) => (wire === undefined ? 'it offers no wiring' : undefined),
  async run({ subject, directory, observe }) {
    const { wire } = subject;
    if (wire === undefined) throw new Error('there is no wiring');
    const place = { home: path.join(directory, 'home'), cwd: path.join(directory, 'checkout') };
    const foreign = Object.entries(wire.foreign ?? {});
    for (const one of Object.values(place)) mkdirSync(one);
    for (const [name, { content }] of foreign) {
      mkdirSync(path.dirname(path.join(place.home, name)), { recursive: true });
      writeFileSync(path.join(place.home, name), content);
    }
    const look = async (...args: string[]) => {
      const { status } = await wire.run(args, place);
      observe(`wire ${args.join(' ')}: exit ${status}, ${filesOf(place).size} files`);
      return { status, files: filesOf(place) };
    };
    const before = filesOf(place);
    const dry = await look('--dry-run');
    const first = await look();
    const second = await look();
    const lost = foreign.filter(([name, { keeps }]) => {
      const content = second.files.get(path.join(place.home, name));
      return content === undefined || !content.includes(keeps);
    });
    return judged(
      [
        [dry, first, second].every(({ status }) => status === 0) ? undefined : 'wiring failed',
        same(before, dry.files) ? undefined : '`--dry-run` wrote something',
        same(before, first.files) ? 'wiring changed nothing' : undefined,
        same(first.files, second.files) ? undefined : 'wiring a second time changed something',
        ...lost.map(([name]) => `the hooks of others in ${name} are gone`),
      ],
      'wired once, whatever was asked; the hooks of others are left alone',
    );
  },
};

function filesOf(place: WiringPlace): Map<string, string> {
  const files = Object.values(place).flatMap((directory: string) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  return new Map(files.map((file) => [file, readFileSync(file, 'latin1')]));
}

function same(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([file, text]) => other.get(file) === text);
}
