import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DryRun } from '@devflow/core/dry-run';
import {
  KEEPS,
  OWN,
  accept,
  configure,
  failure,
  here,
  listed,
  loaded,
  made,
  module,
  onePhase,
  useOwnRepository,
  write,
} from './own-adapters.js';

useOwnRepository();

describe('the name of an adapter', () => {
  test('is one of the project before one that devflow brings along', async () => {
    write({ [`${OWN}/claude/run`]: KEEPS });
    expect((await failure(['run', 'x'])).problems.join()).toContain(
      `takes the place of devflow's own "claude"`,
    );
    expect((await listed('claude'))?.notes.join()).toContain("in place of devflow's");
    await accept('claude');
    expect(await listed('claude')).toMatchObject({ origin: 'project', confirmed: true });
    const { stdout } = await here.devflow(['run', 'x', '--dry-run', '--json']);
    const { phases, notes } = JSON.parse(stdout) as DryRun;
    const replaced = expect.stringContaining(
      `in place of devflow's: ${path.join(here.root, OWN, 'claude')}`,
    );
    expect(notes).toContainEqual(replaced);
    expect((await listed('claude'))?.notes).toEqual([replaced]);
    expect(phases[0]?.agents[0]?.program).toBe(path.join(here.root, OWN, 'claude/run'));
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

  test('that is a path, a profile or another word is answered with what was meant', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS, 'tools/own/run': KEEPS });
    configure({ ...onePhase('its'), profiles: { its: { adapter: './tools/own' } } });
    const meant: [args: string[], hint: RegExp, cwd?: string][] = [
      [
        ['run', 'x', '--agent', `${OWN}/mine`],
        /Did you mean the path "\.\/\.devflow\/adapters\/mine"\?/,
      ],
      [['adapters', '--accept', 'tools/own'], /Did you mean the path "\.\/tools\/own"\?/],
      [['adapters', '--accept', 'its'], /"its" is a profile; its adapter is "\.\/tools\/own"\./],
      [['adapters', '--accept', 'mien'], /^Did you mean "mine"\? Known here: /],
      [['conform', 'adapter', 'claud'], /^Did you mean "claude"\?/],
      [['conform', 'adapter', 'its'], /its adapter is "\.\/own"\./, path.join(here.root, 'tools')],
    ];
    for (const [args, hint, cwd = here.root] of meant)
      expect(await failure(args, { cwd })).toMatchObject({
        code: 'ADAPTER_UNKNOWN',
        hint: expect.stringMatching(hint),
      });
    const { message } = await failure(['conform', 'claude']);
    expect(message).toBe("unknown command 'claude' (Did you mean devflow conform adapter claude?)");
    expect((await failure(['conform', 'adaptr', 'mine'])).message).toContain(
      'conform adapter mine',
    );
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

  test.each(['run x', 'run x --dry-run', 'preflight'])(
    'that nobody knows is told with all else that is wrong, by %s',
    async (command) => {
      const phase = {
        ...onePhase('mien').phases[0],
        when: '1+',
        preflight: [{ hook: 'ready' }],
      };
      write({
        'devflow.config.json': JSON.stringify({ maxAttempts: 0, phases: [phase] }),
        'node_modules/known/package.json': '{"name":"known","main":"index.js"}',
        'node_modules/known/index.js': '',
      });
      const { code, problems } = await failure(command.split(' '));
      expect(code).toBe('CONFIG_INVALID');
      expect(problems).toEqual([
        'maxAttempts: expected 1 or more, found 0',
        expect.stringMatching(/^phases\[0\]\.when: /),
        expect.stringMatching(/^phases\[0\]\.agent: unknown profile or adapter "mien"/),
        expect.stringMatching(/^hook "ready" is not defined/),
      ]);
      configure({ maxAttempts: 0, phases: [{ ...onePhase('known').phases[0] }] });
      expect((await failure(command.split(' '))).problems).toHaveLength(1);
    },
  );
});
