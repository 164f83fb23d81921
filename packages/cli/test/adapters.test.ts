import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DryRun } from '@devflow/core/dry-run';
import { commitFile, giveAnswer } from '@devflow/core/testing';
import type { ListedAdapter } from '../src/adapters/list.js';
import { type CommandLine, PROGRAM, commandLine, parseRun, until } from './command-line.js';
import { WORKS } from './workflows.js';

const OWN = '.devflow/adapters';
/** A program that keeps what it was told, then works. */
const KEEPS = `#!/bin/sh\ncat >prompt.txt; env | sort >env.txt; ${WORKS}\n`;
const COLOURS = new RegExp(String.raw`\x1b\[[0-9;]*m`, 'g');
const OTHER = `${commitFile('other.txt')} && ${giveAnswer()}`;
/** A module whose loading shows. */
const module = (loaded: string, more = '') =>
  `import { writeFileSync } from 'node:fs';
   writeFileSync(${JSON.stringify(loaded)}, '');
   export const adapter = { name: 'anything', capabilities: { modes: ['work'] },
     execCommand: ({ prompt }) => ({ program: '/bin/sh', args: ['-c', ${JSON.stringify(OTHER)}], stdin: prompt }),
     completionSignalDetected: () => true, ${more} };`;
const onePhase = (agent: string, phase = {}) => ({
  name: 'one',
  phases: [{ id: 1, name: 'code', agent, prompt: 'Do: {{task}}', retries: 0, ...phase }],
});

let here: CommandLine;
let loaded: string;
beforeEach(async () => {
  here = await commandLine();
  loaded = path.join(here.directory, 'loaded');
});
afterEach(() => here.remove());

function write(files: Record<string, string>): void {
  here.write(files);
  for (const file of Object.keys(files))
    if (path.basename(file) === 'run') chmodSync(path.join(here.root, file), 0o755);
}
function configure(workflow: object): void {
  here.write({ 'devflow.config.json': JSON.stringify(workflow) });
}
const accept = async (...names: string[]) => {
  const { code, stderr } = await here.devflow(['adapters', '--accept', ...names]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
};
const failure = async (args: readonly string[], options = {}) => {
  const { stdout, code } = await here.devflow([...args, '--json'], options);
  expect(code).toBe(2);
  return JSON.parse(stdout) as { code: string; message: string; problems: string[]; hint: string };
};
const listed = async (name: string) => {
  const { stdout } = await here.devflow(['adapters', '--json']);
  return (JSON.parse(stdout) as ListedAdapter[]).find((adapter) => adapter.name === name);
};
const made = (file: string) => here.git('show', `devflow/it/work:${file}`);

describe('a directory as an agent', () => {
  test('gets a long prompt byte for byte, and its environment', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    configure(onePhase('mine'));
    await accept('mine');
    const task = `${'ü'.repeat(150_000)} end`;
    writeFileSync(path.join(here.directory, 'task'), task);
    const { code } = await here.devflow(
      ['run', '--task-file', path.join(here.directory, 'task'), '--name', 'it', '--model', 'big'],
      { env: { BOARD_TASK: 'T-1', BOARD_AGENT_ID: 'a7', BOARD_PORT: '4100', MY_TOKEN: 'x' } },
    );
    expect(code).toBe(0);
    expect(await made('prompt.txt')).toContain(`Do: ${task}`);
    const env = (await made('env.txt')).split('\n');
    expect(env).toEqual(
      expect.arrayContaining([
        'AGENT_MODE=work',
        'AGENT_MODEL=big',
        'BOARD_AGENT_ID=a7',
        'BOARD_PORT=4100',
        'BOARD_TASK=T-1',
        expect.stringMatching(/^AGENT_CWD=\/.*\/it$/),
      ]),
    );
    expect(env.join('\n')).not.toMatch(/^(AGENT_PROMPT|MY_TOKEN)=/m);
  });

  test('gets a short prompt in its environment too', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    configure(onePhase('mine'));
    await accept('mine');
    await here.devflow(['run', 'Add it', '--name', 'it']);
    expect(await made('env.txt')).toMatch(/^AGENT_PROMPT=Do: Add it$/m);
    expect(await made('prompt.txt')).toMatch(/^Do: Add it$/m);
  });

  test('that changes while it is used is not launched again', async () => {
    const run = path.join(here.root, OWN, 'mine/run');
    write({ [`${OWN}/mine/run`]: `#!/bin/sh\n${WORKS}; echo '# more' >>'${run}'\n` });
    const [phase] = onePhase('mine').phases;
    configure({ phases: [phase, { ...phase, id: 2, name: 'again' }] });
    await accept('mine');
    const { stdout, code } = await here.devflow(['run', 'x', '--name', 'it', '--json']);
    expect(code).toBe(4);
    const { events } = parseRun(stdout);
    expect(events.filter(({ type }) => type === 'attempt-started')).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'preflight',
        phase: 2,
        problems: [expect.objectContaining({ code: 'ADAPTER_CHANGED' })],
      }),
    );
  });

  test('is found again when its run is resumed', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    const ready = path.join(here.directory, 'ready');
    configure(onePhase('mine', { preflight: [{ command: ['test', '-e', ready] }] }));
    await accept('mine');
    expect((await here.devflow(['run', 'x', '--name', 'it'])).code).toBe(4);
    writeFileSync(ready, '');
    const { code } = await here.devflow(['resume', 'it']);
    expect(code).toBe(0);
    expect(await made('prompt.txt')).toContain('Do: x');
  });
});

describe('code of your own', () => {
  test('is not run before it is confirmed: not by run, a dry run, the doctor or a list', async () => {
    write({ [`${OWN}/one.mjs`]: module(loaded), [`${OWN}/two/run`]: `#!/bin/sh\n>'${loaded}'\n` });
    const [phase] = onePhase('one').phases;
    configure({ phases: [phase, { ...phase, id: 2, name: 'more', agent: 'two' }] });
    const run = await failure(['run', 'x']);
    expect(run).toMatchObject({
      code: 'ADAPTER_UNCONFIRMED',
      problems: [expect.stringMatching(/^one: /), expect.stringMatching(/^two: /)],
      hint: expect.stringContaining('`devflow adapters --accept one two`'),
    });
    expect(await failure(['run', 'x', '--dry-run'])).toEqual(run);
    const doctor = await here.devflow(['doctor']);
    expect(doctor.code).toBe(4);
    expect(doctor.stdout).toContain('ADAPTER_UNCONFIRMED');
    expect(await listed('one')).toMatchObject({ confirmed: false, capabilities: [] });
    expect(await listed('two')).toMatchObject({ confirmed: false, origin: 'project' });
    expect(existsSync(loaded)).toBe(false);
    await accept('one', 'two');
    expect((await here.devflow(['run', 'x', '--dry-run'])).code).toBe(0);
    expect(existsSync(loaded)).toBe(true);
  });

  test('is confirmed as it is, and asked for again when it has changed', async () => {
    write({ [`${OWN}/mine/adapter.mjs`]: module(loaded), [`${OWN}/mine/program.js`]: '' });
    configure(onePhase('mine'));
    await accept('mine');
    expect(await listed('mine')).toMatchObject({ confirmed: true });
    write({ [`${OWN}/mine/program.js`]: 'process.exit()' }); // also what its module starts
    expect(await listed('mine')).toMatchObject({ confirmed: false });
    expect((await failure(['run', 'x'])).code).toBe('ADAPTER_UNCONFIRMED');
    await accept('mine');
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
  });

  test('is confirmed all or none', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS, [`${OWN}/wrong/run`]: 'no shebang' });
    const args = ['adapters', '--accept', 'mine'];
    expect(await failure([...args, 'mien'])).toMatchObject({
      code: 'ADAPTER_UNKNOWN',
      message: 'there is no adapter "mien"',
      hint: expect.stringContaining('mine'),
    });
    expect((await failure([...args, 'wrong'])).code).toBe('ADAPTER_INVALID');
    expect(await listed('mine')).toMatchObject({ confirmed: false });
  });

  test('is confirmed by two at once, each for its own', async () => {
    const names = ['one', 'two', 'three'];
    write(Object.fromEntries(names.map((name) => [`${OWN}/${name}/run`, KEEPS])));
    await Promise.all(names.map((name) => accept(name)));
    for (const name of names) expect(await listed(name)).toMatchObject({ confirmed: true });
  });

  test('cannot be confirmed where there is no place to keep it', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    writeFileSync(path.join(here.directory, 'file'), '');
    const env = { XDG_STATE_HOME: path.join(here.directory, 'file') };
    const error = await failure(['adapters', '--accept', 'mine'], { env });
    expect(error.code).toBe('STATE_UNWRITABLE');
  });

  test('is not loaded where nobody asks for it', async () => {
    write({ [`${OWN}/other.mjs`]: module(loaded), [`${OWN}/mine/run`]: KEEPS });
    configure({ ...onePhase('mine'), profiles: { unused: { adapter: 'other' } } });
    await accept('mine', 'other');
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
    expect((await here.devflow(['run', 'x', '--agent', 'mine', '--dry-run'])).code).toBe(0);
    expect(existsSync(loaded)).toBe(false);
    await here.devflow(['run', 'x', '--agent', 'unused', '--dry-run']);
    expect(existsSync(loaded)).toBe(true);
  });

  test('is shown to a person, who is asked; only a plain yes counts, and is remembered', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS, [`${OWN}/mine/lib.sh`]: '' });
    configure(onePhase('mine'));
    for (const no of ['\n', 'n\n', 'yess\n', '\x04', '\x03']) {
      const refused = await onTerminal(['run', 'x', '--name', 'it'], no);
      expect(refused.screen).toContain('ADAPTER_UNCONFIRMED');
      expect(refused.code).toBe(2);
    }
    const asked = await onTerminal(['run', 'x', '--name', 'it'], 'y\n');
    expect(asked.screen).toContain(path.join(here.root, OWN, 'mine'));
    expect(asked.screen).toMatch(/^ {2}lib\.sh\r?$/m);
    expect(asked.screen).toMatch(/^sha256 [0-9a-f]{64}\r?$/m);
    expect(asked.code).toBe(0);
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
  });
});

describe('an adapter in a module', () => {
  const planned = async () => {
    const { stdout } = await here.devflow(['run', 'x', '--dry-run', '--json']);
    return JSON.parse(stdout) as DryRun & { problems: string[] };
  };

  test('may be a class, TypeScript, and call itself what it likes', async () => {
    write({
      [`${OWN}/mine.ts`]: `import { type AgentAdapter, AdapterOptionsError } from '@devflow/core/adapter';
        class Mine {
          #speed: unknown; name = 'someone-else'; capabilities = { modes: ['work' as const] };
          constructor(speed?: unknown) { this.#speed = speed; }
          configure({ speed }: Record<string, unknown>): AgentAdapter {
            if (speed === 'warp') throw new AdapterOptionsError(['speed: expected less']);
            return new Mine(speed);
          }
          execCommand() { return { program: 'echo', args: [String(this.#speed)], stdin: '' }; }
          completionSignalDetected() { return true; }
        }
        export default (): AgentAdapter => new Mine();`,
    });
    const atSpeed = (speed: string) =>
      configure({ ...onePhase('fast'), profiles: { fast: { adapter: 'mine', speed } } });
    atSpeed('slow');
    await accept('mine');
    expect((await planned()).phases[0]?.args).toEqual(['slow']);
    atSpeed('warp');
    expect((await planned()).problems).toEqual(['profiles.fast.speed: expected less']);
  });

  const BROKEN: [what: string, code: string, problem: RegExp][] = [
    ['throws', 'throw new TypeError("boom")', /cannot be loaded: TypeError: boom/],
    ['cannot be parsed', 'export const = 3', /cannot be loaded: /],
    ['imports what is not there', 'import "./nowhere.js"', /cannot be loaded: .*nowhere/],
    ['exports nothing', '', /expected an export "adapter", .*; found nothing/],
    ['exports another name', 'export const mine = {}', /found mine/],
    ['exports no object', 'export default 3', /expected an adapter, found 3/],
    ['gives nothing', 'export default () => undefined', /expected an export|expected an adapter/],
    ['fails to give one', 'export default () => { throw "x" }', /gives no adapter: x/],
  ];
  test.each(BROKEN)('that %s is refused', async (_, code, problem) => {
    write({ [`${OWN}/mine.mjs`]: code });
    configure(onePhase('mine'));
    await accept('mine');
    const { code: error, message, problems } = await failure(['run', 'x']);
    expect(error).toBe('ADAPTER_INVALID');
    expect([message, ...problems].join('\n')).toMatch(problem);
    expect(message).toContain('mine.mjs');
    expect(JSON.stringify(await listed('mine'))).toContain('ADAPTER_INVALID');
  });

  test('that is not of the shape is refused with all that is wrong', async () => {
    const wrong = `{ name: 'My Agent', capabilities: { modes: ['works'] }, configure: 3,
      completionSignalDetected: /x/, envFrom: 'PATH', preflight: {} }`;
    write({ [`${OWN}/mine.mjs`]: `export default ${wrong};` });
    configure(onePhase('mine'));
    await accept('mine');
    expect((await failure(['run', 'x'])).problems).toEqual([
      expect.stringMatching(/^name: expected a name of lower-case/),
      expect.stringMatching(/^capabilities: expected modes: an array of "work" and "review"/),
      'envFrom: expected an array of texts, or nothing, found "PATH"',
      'configure: expected a function, or nothing, found 3',
      'execCommand: expected a function, found nothing',
      'completionSignalDetected: expected a function, found {}',
      'preflight: expected a function, or nothing, found {}',
    ]);
  });
});

describe('the name of an adapter', () => {
  test('is one of the project before one that devflow brings along', async () => {
    write({ [`${OWN}/claude/run`]: KEEPS });
    await accept('claude');
    expect(await listed('claude')).toMatchObject({ origin: 'project', confirmed: true });
    const { stdout } = await here.devflow(['run', 'x', '--dry-run', '--json']);
    const { phases } = JSON.parse(stdout) as DryRun;
    expect(phases[0]?.program).toBe(path.join(here.root, OWN, 'claude/run'));
  });

  test('may be a path from the configuration, also out of the repository', async () => {
    write({ 'sub/tools/mine/run': KEEPS, '../outside.mjs': module(loaded) });
    const [phase] = onePhase('./tools/mine').phases;
    const more = { ...phase, id: 2, name: 'more', agent: '../../outside.mjs' };
    here.write({ 'sub/devflow.config.json': JSON.stringify({ phases: [phase, more] }) });
    const cwd = path.join(here.root, 'sub/tools');
    const { problems } = await failure(['run', 'x'], { cwd });
    expect(problems.join()).toContain(path.join(here.directory, 'outside.mjs'));
    await here.devflow(['adapters', '--accept', './tools/mine', '../../outside.mjs'], { cwd });
    const { code } = await here.devflow(['run', 'x', '--name', 'it'], { cwd });
    expect(code).toBe(0);
    expect(await made('prompt.txt')).toContain('Do: x');
  });

  test('may be a package; one that is linked from elsewhere is code of your own', async () => {
    const manifest = (name: string) =>
      JSON.stringify({ name, type: 'module', exports: { import: './index.js' } });
    write({
      'node_modules/installed/package.json': manifest('installed'),
      'node_modules/installed/index.js': module(loaded),
      'packages/linked/package.json': manifest('@here/linked'),
      'packages/linked/index.js': module(loaded),
    });
    mkdirSync(path.join(here.root, 'node_modules/@here'));
    symlinkSync('../../packages/linked', path.join(here.root, 'node_modules/@here/linked'));
    configure(onePhase('installed/nowhere'));
    expect((await failure(['run', 'x'])).problems.join()).toContain('unknown profile or adapter');
    configure(onePhase('installed'));
    expect(await listed('installed')).toMatchObject({ origin: 'package', capabilities: ['work'] });
    expect((await here.devflow(['run', 'x'])).code).toBe(0);
    configure(onePhase('@here/linked'));
    expect(await failure(['run', 'x'])).toMatchObject({
      code: 'ADAPTER_UNCONFIRMED',
      problems: [expect.stringContaining('packages/linked/index.js')],
    });
  });

  test('that nobody knows is answered with the nearest that is known, loaded or not', async () => {
    write({ [`${OWN}/reader/run`]: KEEPS });
    configure(onePhase('raeder'));
    expect((await failure(['run', 'x'])).problems).toEqual([
      'phases[0].agent: unknown profile or adapter "raeder"; did you mean "reader"?',
    ]);
    configure(onePhase('opencod'));
    expect((await failure(['run', 'x'])).problems.join()).toContain('did you mean "opencode"?');
    configure(onePhase('fs')); // a module of Node.js is no package
    expect((await failure(['run', 'x'])).problems.join()).toContain('unknown profile or adapter');
  });

  test('command needs a profile', async () => {
    configure(onePhase('command'));
    expect((await failure(['run', 'x'])).problems.join()).toContain('"command" needs a profile');
  });

  test('in a linked worktree is that of the worktree', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    const linked = path.join(here.directory, 'linked');
    await here.git('worktree', 'add', '--quiet', linked);
    const { problems } = await failure(['run', 'x', '--agent', 'mine'], { cwd: linked });
    expect(problems).toEqual([]); // unknown there
    mkdirSync(path.join(linked, OWN, 'mine'), { recursive: true });
    writeFileSync(path.join(linked, OWN, 'mine/run'), KEEPS, { mode: 0o755 });
    expect((await failure(['run', 'x', '--agent', 'mine'], { cwd: linked })).problems).toEqual([
      expect.stringContaining(path.join(linked, OWN, 'mine')),
    ]);
  });
});

describe('what cannot be an adapter', () => {
  test('is listed with what is wrong, and hides no other', async () => {
    write({
      [`${OWN}/twice/run`]: KEEPS,
      [`${OWN}/twice.mjs`]: '',
      [`${OWN}/both/run`]: KEEPS,
      [`${OWN}/both/adapter.mjs`]: '',
      [`${OWN}/My Agent/run`]: KEEPS,
      [`${OWN}/empty/README.md`]: '',
      [`${OWN}/fine/run`]: KEEPS,
      [`${OWN}/fine.test.mjs`]: '',
      [`${OWN}/README.md`]: '',
    });
    symlinkSync('nowhere', path.join(here.root, OWN, 'broken'));
    symlinkSync('circle', path.join(here.root, OWN, 'circle'));
    const { stdout } = await here.devflow(['adapters', '--json']);
    const own = (JSON.parse(stdout) as ListedAdapter[]).filter(
      ({ origin }) => origin === 'project',
    );
    const said = Object.fromEntries(
      own.map(({ name, problems }) => [name, problems.map(({ message }) => message).join()]),
    );
    expect(said).toEqual({
      both: expect.stringContaining('it has run and adapter.mjs; keep one of them'),
      broken: expect.stringContaining('there is nothing that can be reached'),
      circle: expect.stringContaining('there is nothing that can be reached'),
      empty: expect.stringContaining('no executable `run`, and no module'),
      fine: expect.stringContaining('nobody has confirmed it'),
      'My Agent': expect.stringContaining('expected a directory named by lower-case'),
      twice: expect.stringContaining('twice and twice.mjs are both "twice"; keep one'),
    });
  });

  test('is refused all at once, with what is not confirmed', async () => {
    write({ [`${OWN}/twice/run`]: KEEPS, [`${OWN}/twice.mjs`]: '', [`${OWN}/fine/run`]: KEEPS });
    const [phase] = onePhase('twice').phases;
    const others = ['./nowhere', 'fine', './README.md'].map((agent, index) => ({
      ...phase,
      id: index + 2,
      name: `p${index}`,
      agent,
    }));
    configure({ phases: [phase, ...others] });
    expect(await failure(['run', 'x'])).toMatchObject({
      code: 'ADAPTER_INVALID',
      problems: [
        expect.stringContaining('are both "twice"'),
        expect.stringContaining('nowhere: there is nothing'),
        expect.stringContaining('README.md: it is neither a directory nor a module'),
        expect.stringMatching(/^fine: nobody has confirmed/),
      ],
    });
  });
});

describe('the list of adapters', () => {
  test('says what each can do, where it is, and whether it is confirmed', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS, [`${OWN}/mine/adapter.json`]: '{ "version": "2.1.0" }' });
    expect(await listed('mine')).toMatchObject({
      name: 'mine',
      origin: 'project',
      path: path.join(here.root, OWN, 'mine'),
      program: path.join(here.root, OWN, 'mine/run'),
      version: '2.1.0',
      capabilities: ['work', 'review', 'models'],
      confirmed: false,
    });
    await accept('mine');
    const { stdout } = await here.devflow(['adapters']);
    expect(stdout).toMatch(/^mine {2}project, 2\.1\.0, confirmed$/m);
    expect(stdout).toMatch(/^command {2}built-in$/m);
  });

  test('finds the program of an agent and asks it for its version', async () => {
    const program = path.join(here.directory, 'bin/claude');
    mkdirSync(path.dirname(program));
    writeFileSync(program, '#!/bin/sh\necho "2.1.332 (Claude Code)"\n', { mode: 0o755 });
    const env = { PATH: `${path.dirname(program)}:${here.env['PATH']}` };
    const { stdout } = await here.devflow(['adapters', '--json'], { env });
    const claude = (JSON.parse(stdout) as ListedAdapter[]).find(({ name }) => name === 'claude');
    expect(claude).toMatchObject({ program, version: '2.1.332', origin: 'built-in' });
  });

  test('is not disturbed by what modules print', async () => {
    const noisy = (name: string) => `console.log('noise of ${name}');\n${module(loaded)}`;
    write({ [`${OWN}/one.mjs`]: noisy('one'), [`${OWN}/two.mjs`]: noisy('two') });
    await accept('one', 'two');
    const { stdout, stderr } = await here.devflow(['adapters', '--json']);
    expect(JSON.parse(stdout)).toHaveLength(6);
    expect(stderr).toMatch(/noise of one\n.*noise of two\n/s);
  });

  test('fits a screen of 80 columns', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    const { screen } = await onTerminal(['adapters'], '');
    const lines = screen.replaceAll(COLOURS, '').split(/\r?\n/);
    // A path is not wrapped, so that it can be copied.
    expect(lines.filter((line) => line.length > 80 && !line.includes(here.root))).toEqual([]);
    expect(screen).toContain('not confirmed');
  });
});

/** Runs devflow on a pseudo-terminal of 80 columns; gives an answer once it is asked. */
async function onTerminal(args: readonly string[], answer: string) {
  const command = `stty cols 80 rows 24; exec node '${PROGRAM}' ${args.join(' ')}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: here.root,
    env: { ...here.env, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let screen = '';
  terminal.stdout.on('data', (text: Buffer) => (screen += text.toString()));
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  if (answer !== '') {
    await until(
      () => screen.includes('[y/N]'),
      () => screen,
    );
    terminal.stdin.write(answer);
  }
  return { code: await ended, screen };
}
