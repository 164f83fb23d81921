import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentAdapter, AgentEvent, ExecRequest } from '../src/adapter/index.js';
import { command } from '../src/command/index.js';
import { type AdapterSubject, conformAdapter } from '../src/testing/index.js';
import { type Breakage, parrotSubject, wiring } from './parrot.js';

/** The case `name`, asked of an adapter that is broken in one way. */
interface Broken {
  readonly name: string;
  readonly how: string;
  readonly subject: AdapterSubject;
  /** What the report says of it. */
  readonly says: RegExp;
}

const broken = (name: string, how: string, says: RegExp, breakage: Breakage): Broken => ({
  name,
  how,
  says,
  subject: parrotSubject(breakage),
});
/** Its command by way of a shell, with `$@` its own words. */
const byShell =
  (script: string): Breakage =>
  ({ execCommand }) => ({
    execCommand(request) {
      const { program, args, stdin } = execCommand(request);
      return { program: '/bin/sh', args: ['-c', script, 'sh', program, ...args], stdin };
    },
  });
const otherArgs =
  (change: (args: readonly string[], request: ExecRequest) => readonly string[]): Breakage =>
  ({ execCommand }) => ({
    execCommand(request) {
      const built = execCommand(request);
      return { ...built, args: change(built.args, request) };
    },
  });
const otherResult =
  (change: (result: ReturnType<ReturnType<Parser>['result']>) => object): Breakage =>
  ({ createParser }) => ({
    createParser(clock) {
      const parser = (createParser as Parser)(clock);
      return { ...parser, result: () => ({ ...parser.result(), ...change(parser.result()) }) };
    },
  });
const otherEvents =
  (change: (events: readonly AgentEvent[], line: string) => readonly object[]): Breakage =>
  ({ createParser }) => ({
    createParser(clock) {
      const parser = (createParser as Parser)(clock);
      return { ...parser, line: (line) => change(parser.line(line), line) as AgentEvent[] };
    },
  });
type Parser = NonNullable<AgentAdapter['createParser']>;
const withWiring = (
  how: string,
  says: RegExp,
  run: NonNullable<AdapterSubject['wire']>['run'],
) => ({
  name: 'wire-idempotent',
  how,
  says,
  subject: { ...parrotSubject(), wire: wiring({ run }) },
});
const hooksIn = (home: string) => path.join(home, '.parrot/hooks');
const done = Promise.resolve({ status: 0 });

const BROKEN: readonly Broken[] = [
  broken('names-itself', 'has a name in capitals', /name of lower-case/, () => ({ name: 'The Parrot' })),
  broken('names-itself', 'claims no mode', /expected modes/, ({ capabilities }) => ({
    capabilities: { ...capabilities, modes: [] },
  })),
  broken('names-itself', 'forks what it cannot continue', /cannot continue/, ({ capabilities }) => ({
    capabilities: { ...capabilities, continue: false },
  })),
  broken('reads-any-output', 'throws at a torn line', /makes it throw/,
    otherEvents((events, line) => (line.startsWith('{') ? (JSON.parse(line), events) : events))),
  broken('reads-any-output', 'throws at a line that is long', /"x{50,}.* makes it throw: Error: too long/,
    otherEvents((events, line) => { if (line.length > 500_000) throw new Error('too long'); return events; })),
  broken('reads-any-output', 'has an event without a name', /no event of the vocabulary/,
    otherEvents((events) => events.map((event) => ({ ...event, name: '' })))),
  broken('reads-any-output', 'takes any word for the end', /the line "words" is a success/, (good) => ({
    completionSignalDetected: () => true,
    ...otherResult(() => ({ turn: 'finished' }))(good),
  })),
  broken('preflight-answers', 'answers with something else', /something else than a list/, () => ({
    preflight: () => Promise.resolve({ problems: 'none' } as never),
  })),
  broken('preflight-answers', 'does not say what to do', /what to do/, () => ({
    preflight: () => Promise.resolve({ problems: [{ code: 'WOLF', message: 'Wolf!', hint: '' }], notes: [] }),
  })),
  broken('preflight-answers', 'has a note that is no text', /a note that is no text/, () => ({
    preflight: () => Promise.resolve({ problems: [], notes: [1] } as never),
  })),
  broken('builds-a-command', 'gives the prompt as an argument', /over 128 KiB/,
    otherArgs((args, { prompt }) => [...args, prompt])),
  broken('builds-a-command', 'trims the prompt', /byte for byte/, ({ execCommand }) => ({
    execCommand: (request) => ({ ...execCommand(request), stdin: request.prompt.replaceAll('\t', ' ') }),
  })),
  broken('builds-a-command', 'keeps the model to itself', /claims models/,
    otherArgs((args) => args.filter((arg) => !arg.startsWith('--model')))),
  broken('builds-a-command', 'is not pure', /another command/,
    otherArgs((args) => [...args, String(performance.now())])),
  broken('mode-work', 'works elsewhere', /did not reach the run/,
    byShell('cp -R . "$HOME/copy" && cd "$HOME/copy" && rm .git && git init --quiet && exec "$@"')),
  broken('mode-work', 'gives a flag that nobody looked for', /--wild is given/,
    otherArgs((args) => [...args, '--wild'])),
  broken('mode-review', 'moves the branch of the run', /branch moved/,
    byShell('"$@"; git update-ref refs/heads/devflow/conformance/work HEAD')),
  broken('mode-review', 'writes into the checkout of the user', /user's checkout changed/,
    byShell('touch "$(git rev-parse --path-format=absolute --git-common-dir)/../stray"; exec "$@"')),
  broken('mode-review', 'reviews as it works', /the same in a review/,
    otherArgs((args) => args.filter((arg) => !arg.startsWith('--sandbox')))),
  broken('final-text-on-stdout', 'gives the first words', /final text is not/,
    otherResult(() => ({ finalText: 'I will read it.' }))),
  broken('exit-passthrough', 'swallows the status', /exit 1 came to completed/,
    byShell('"$@"; exit 0')),
  broken('exit-passthrough', 'makes one failure of all', /exit 143 came to failed/,
    byShell('"$@" || exit 1')),
  broken('completion-detected', 'never sees the end', /not detected/, () => ({
    completionSignalDetected: () => false,
  })),
  broken('completion-detected', 'leaves a call open', /still open/, ({ createParser }) => ({
    createParser: (clock) => ({ ...(createParser as Parser)(clock), openCalls: () => 1 }),
  })),
  broken('completion-not-invented', 'takes any text with the marker', /the first 4 of 5 lines/, (good) => ({
    completionSignalDetected: (output) => output.includes('DEVFLOW_RESULT'),
    ...otherResult(() => ({ turn: 'unknown' }))(good),
  })),
  broken('completion-not-invented', 'trusts the exit status', /no output at all/, (good) => ({
    completionSignalDetected: () => true,
    ...otherResult(() => ({ turn: 'unknown' }))(good),
  })),
  broken('completion-not-invented', 'overlooks an error result', /the error capture/, (good) => ({
    completionSignalDetected: (output) => output.includes('"over"'),
    ...otherResult(({ turn }) => ({ turn: turn === 'failed' ? 'finished' : turn }))(good),
  })),
  broken('completion-not-invented', 'answers with what a tool printed', /a document with the marker before/, (good) => {
    const lines: string[] = [];
    return {
      createParser(clock) {
        const parser = (good.createParser as Parser)(clock);
        const line = (words: string) => {
          lines.push(...(words.includes('"ran"') ? [(JSON.parse(words) as { output: string }).output] : []));
          return parser.line(words);
        };
        return { ...parser, line, result: () => ({ ...parser.result(), finalText: lines.splice(0).join('\n') }) };
      },
    };
  }),
  broken('events-normalised', 'invents a kind', /no event of the vocabulary/,
    otherEvents((events) => events.map((event) => ({ ...event, kind: 'wonder' })))),
  broken('events-normalised', 'drops what it does not know', /unknown event/,
    otherEvents((events) => events.filter(({ kind }) => kind !== 'other'))),
  broken('events-normalised', 'ends before it begins', /follows the end|come first/,
    otherEvents((events) => events.map((event) => (event.kind === 'session' ? { ...event, kind: 'end' } : event)))),
  broken('usage-reported', 'counts nothing as zero', /where the stream carries none/,
    otherResult(({ costUsd }) => ({ costUsd: costUsd ?? 0 }))),
  broken('usage-reported', 'loses the tokens', /the tokens are/, otherResult(() => ({ usage: undefined }))),
  broken('usage-reported', 'promises none and has some', /declares usage.usd "none"/, ({ capabilities }) => ({
    capabilities: { ...capabilities, usage: { tokens: 'at-end', usd: 'none' } },
  })),
  broken('session-id', 'overlooks the session', /the session is undefined/, otherResult(() => ({ sessionId: undefined }))),
  broken('session-id', 'continues another session', /does not name it/,
    otherArgs((args) => args.map((arg) => (arg.startsWith('--session') ? '--session=last' : arg)))),
  broken('session-id', 'forks as it continues', /by the same command/,
    otherArgs((args) => args.filter((arg) => arg !== '--fork'))),
  withWiring('adds a line each time', /a second time/, (args, { home }) => {
    if (!args.includes('--dry-run')) appendFileSync(hooksIn(home), 'devflow\n');
    return done;
  }),
  withWiring('writes in a dry run', /--dry-run/, (_, { home }) => {
    writeFileSync(hooksIn(home), 'somebody else\ndevflow\n');
    return done;
  }),
  withWiring('removes the hooks of others', /are gone/, (args, { home }) => {
    if (!args.includes('--dry-run')) writeFileSync(hooksIn(home), 'devflow\n');
    return done;
  }),
  broken('preflight-honest', 'finds no fault', /a missing program is no problem/, () => ({
    preflight: () => Promise.resolve({ problems: [], notes: [] }),
  })),
  broken('preflight-honest', 'does not look at the version', /version 0.0.1 is no problem/, ({ preflight }) => ({
    preflight: (probe) =>
      preflight?.({
        ...probe,
        ask: (program, args, options) =>
          args[0] === '--version'
            ? Promise.resolve({ status: 0, stdout: '1.2.3', stderr: '' })
            : probe.ask(program, args, options),
      }) ?? Promise.reject(new Error('it has one')),
  })),
  broken('preflight-honest', 'does not look at the login', /a missing login is no problem/, ({ preflight }) => ({
    preflight: (probe) => preflight?.({ ...probe, checkLogin: false }) ?? Promise.reject(new Error('it has one')),
  })),
  broken('preflight-honest', 'cries wolf', /all is right, and it says WOLF/, () => ({
    preflight: () => Promise.resolve({ problems: [{ code: 'WOLF', message: 'Wolf!', hint: 'Run.' }], notes: [] }),
  })),
  broken('preflight-honest', 'does not say what to do', /what to do/, ({ preflight }) => ({
    async preflight(probe) {
      const found = (await preflight?.(probe)) ?? { problems: [], notes: [] };
      return { ...found, problems: found.problems.map((problem) => ({ ...problem, hint: '' })) };
    },
  })),
  broken('interrupted', 'lets another process start the agent', /outlive the stop/, ({ execCommand }) => ({
    execCommand(request) {
      const { program, args } = execCommand(request);
      if (request.cwd.includes('/worktrees/')) {
        const env = { PATH: process.env['PATH'] ?? '', HOME: '/nowhere' };
        spawn(program, args, { cwd: request.cwd, env, detached: true, stdio: 'ignore' }).unref();
      }
      return { program: '/bin/sh', args: ['-c', 'exec sleep 600', program], stdin: '' };
    },
  })),
]; // prettier-ignore

describe.each([...new Set(BROKEN.map(({ name }) => name))])('%s', (name) => {
  test('passes an adapter that keeps the contract', async () => {
    const { cases } = await conformAdapter(parrotSubject(), { only: name });
    expect(cases).toMatchObject([{ name, verdict: 'PASS' }]);
  });

  test.each(BROKEN.filter((one) => one.name === name))(
    'fails one that $how',
    async ({ subject, says }) => {
      const { cases } = await conformAdapter(subject, { only: name });
      expect(cases).toMatchObject([
        { name, verdict: 'FAIL', summary: expect.stringMatching(says) },
      ]);
    },
  );
});

test('every case has an adapter that it fails', async () => {
  const { cases } = await conformAdapter({ adapter: command() });
  expect(new Set(BROKEN.map(({ name }) => name))).toEqual(new Set(cases.map(({ name }) => name)));
});

test('an adapter of which nothing is known is asked all the same', async () => {
  const never = () => new Promise<never>(() => undefined);
  const { adapter } = parrotSubject(() => ({ preflight: never }));
  const asked = async (only: string) => conformAdapter({ adapter }, { only, deadlineMs: 200 });
  expect((await asked('reads-any-output')).cases).toMatchObject([{ verdict: 'PASS' }]);
  expect((await asked('preflight-answers')).cases).toMatchObject([
    { verdict: 'ERROR', summary: 'the deadline of 0.2 s passed' },
  ]);
});

test('a program that is installed and asks for ever for its version does not keep the suite', async () => {
  const preflight = () => new Promise<never>(() => undefined);
  const subject = { ...parrotSubject(() => ({ preflight })), realBinary: process.execPath };
  const report = await conformAdapter(subject, { only: 'names-itself', deadlineMs: 200 });
  expect(report.versions).not.toHaveProperty('parrot');
  expect(report.counts).toMatchObject({ PASS: 1 });
});

/** What an adapter does not claim, or the subject does not say. */
const { captures: _captures, ...withoutCaptures } = parrotSubject();
const { wire: _wire, ...withoutWiring } = parrotSubject();
const UNSUPPORTED: readonly [string, AdapterSubject, readonly string[], RegExp][] = [
  ['that needs options', { adapter: command() }, ['reads-any-output', 'preflight-answers', 'mode-work', 'completion-detected', 'preflight-honest'], /stub\.options/],
  ['without captures', withoutCaptures, ['completion-detected', 'mode-work'], /captures/],
  ['without a preflight', parrotSubject(() => ({ preflight: undefined })), ['preflight-answers', 'preflight-honest'], /no preflight/],
  ['without wiring', withoutWiring, ['wire-idempotent'], /no wiring/],
  ['that only works', parrotSubject(({ capabilities }) => ({ capabilities: { ...capabilities, modes: ['work'] } })), ['mode-review'], /mode review/],
  ['of plain text', { adapter: command(), stub: { options: (program) => ({ command: [program] }) } }, ['events-normalised', 'usage-reported'], /plain text/],
]; // prettier-ignore

describe.each(UNSUPPORTED)('a subject %s', (_what, subject, names, why) => {
  test.each(names)('%s is unsupported, and says why', async (name) => {
    const { cases, counts } = await conformAdapter(subject, { only: name });
    expect(cases).toMatchObject([
      { name, verdict: 'UNSUPPORTED', summary: expect.stringMatching(why) },
    ]);
    expect(counts).toMatchObject({ PASS: 0, UNSUPPORTED: 1 });
  });
});
