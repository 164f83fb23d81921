import { describe, expect, test } from 'vitest';
import type { DryRun } from '@devflow/core/dry-run';
import {
  OWN,
  accept,
  configure,
  failure,
  here,
  listed,
  onePhase,
  useOwnRepository,
  write,
} from './own-adapters.js';

useOwnRepository();

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
    expect((await planned()).phases[0]?.agents[0]?.args).toEqual(['slow']);
    atSpeed('warp');
    expect((await planned()).problems).toEqual(['profiles.fast.speed: expected less']);
  });

  const BROKEN: [what: string, code: string, problem: RegExp][] = [
    ['throws', 'throw new TypeError("boom")', /cannot be loaded: TypeError: boom/],
    ['cannot be parsed', '\nexport const = 3', /mine\.mjs:2:\d+ cannot be loaded: ParseError: /],
    [
      'throws further down',
      '\n\n  throw new Error("x")',
      /mine\.mjs:3:\d+ cannot be loaded: Error: x/,
    ],
    ['imports what is not there', 'import "./nowhere.js"', /mine\.mjs cannot be loaded: .*nowhere/],
    [
      'imports what cannot be parsed',
      'import "./broken.js"',
      /mine\.mjs cannot be loaded: ParseError: .* \(.*broken\.js:2:\d+\)/,
    ],
    [
      'exports one that lacks functions',
      'export const adapter = { name: "x", capabilities: { modes: ["work"] } }',
      /that it exports has no execCommand and no completionSignalDetected/,
    ],
    ['exports nothing', '', /expected an export "adapter", .*; found nothing/],
    ['exports another name', 'export const mine = {}', /found mine/],
    ['exports no object', 'export default 3', /expected an adapter, found 3/],
    ['gives nothing', 'export default () => undefined', /expected an export|expected an adapter/],
    ['fails to give one', 'export default () => { throw "x" }', /gives no adapter: x/],
  ];
  test.each(BROKEN)('that %s is refused', async (_, code, problem) => {
    write({ [`${OWN}/mine.mjs`]: code, [`${OWN}/broken.js`]: '\nconst x == 3;' });
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
