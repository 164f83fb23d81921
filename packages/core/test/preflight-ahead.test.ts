import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../src/command/index.js';
import { type PreflightAheadOptions, preflightAhead } from '../src/preflight/ahead.js';
import {
  type Rig,
  type ScriptedPhase,
  expectError,
  expectUntouched,
  rig,
  scriptedWorkflow,
} from './rig.js';

function ahead(
  { repository }: Rig,
  phases: readonly ScriptedPhase[],
  more: Partial<PreflightAheadOptions> = {},
) {
  const { root, env } = repository;
  return preflightAhead(scriptedWorkflow(phases), {
    cwd: root,
    env,
    adapters: [command()],
    ...more,
  });
}

const codes = ({ problems }: { readonly problems: readonly { readonly code: string }[] }) =>
  problems.map(({ code }) => code);
const script = 'true';
const fails = (name: string) => ({ name, command: ['sh', '-c', `echo ${name}; exit 3`] });

/** A command that ends once the other one has begun too: alone it never passes. */
function meets(directory: string, own: string, other: string) {
  const there = path.join(directory, other);
  const wait = `touch '${path.join(directory, own)}'; while [ ! -e '${there}' ]; do sleep 0.02; done`;
  return { command: ['sh', '-c', wait], timeout: '10s' };
}

describe('the preflight of the phases ahead', () => {
  it('has all problems of all phases at once, and makes nothing', async () => {
    const used = await rig();
    await used.repository.git('config', '--unset', 'user.name');
    const hooks = { asks: () => [{ code: 'NO_KEY', message: 'no key', hint: 'Make one.' }] };
    const found = await ahead(
      used,
      [
        { script, preflight: [fails('one'), fails('two')] },
        { script, preflight: [{ hook: 'asks' }, { command: ['true'] }], agent: 'agent-3' },
        { script, checks: [{ command: ['no-such-checker'] }], preflight: [fails('three')] },
      ],
      { hooks },
    );
    expect(codes(found.repository)).toEqual(['GIT_IDENTITY_MISSING']);
    expect(found.phases.map(({ id, name, agent }) => [id, name, agent])).toEqual([
      [1, 'step-1', 'agent-1'],
      [2, 'step-2', 'agent-3'],
      [3, 'step-3', 'agent-3'],
    ]);
    expect(found.phases.map(codes)).toEqual([
      ['PREFLIGHT_COMMAND_FAILED', 'PREFLIGHT_COMMAND_FAILED'],
      ['NO_KEY'],
      ['CHECK_NOT_FOUND', 'PREFLIGHT_COMMAND_FAILED'],
    ]);
    expect(found.phases[0]?.problems.map(({ message }) => message)).toEqual([
      '"one" exit 3: one',
      '"two" exit 3: two',
    ]);
    await expectUntouched(used);
  });

  it('asks all phases at the same time', async () => {
    const used = await rig();
    const { directory } = used.repository;
    const found = await ahead(used, [
      { script, preflight: [meets(directory, 'a', 'b'), meets(directory, 'b', 'c')] },
      { script, preflight: [meets(directory, 'c', 'a')] },
    ]);
    expect(found.phases.map(codes)).toEqual([[], []]);
  });

  it('demands nothing that an earlier phase may make, and says what it has not asked', async () => {
    const used = await rig();
    const made = { command: ['./tools/made.sh'] };
    const later: ScriptedPhase = {
      script,
      preflight: [made, { ...fails('plan'), ahead: false }, { hook: 'asks', ahead: false }],
      checks: [{ command: ['./tools/check.sh'] }],
    };
    const hooks = {
      asks: () => {
        throw new Error('asked');
      },
    };
    const found = await ahead(used, [{ script }, later], { hooks });
    expect(found.phases.map(codes)).toEqual([[], []]);
    expect(found.phases[1]?.notes).toEqual(
      ['./tools/made.sh', 'plan', 'asks'].map((name) =>
        expect.stringContaining(`"${name}" is not asked yet`),
      ),
    );
    const first = await ahead(used, [later], { hooks });
    expect(codes(first.phases[0] ?? first.repository)).toEqual([
      'PREFLIGHT_COMMAND_FAILED',
      'PREFLIGHT_COMMAND_FAILED',
      'PREFLIGHT_HOOK_FAILED',
    ]);
    const from = await ahead(used, [{ script }, later], { hooks, from: 2 });
    expect(from.phases.map(({ id, notes }) => [id, notes])).toEqual([[2, []]]);
  });

  it('runs what the checkout has', async () => {
    const used = await rig({ files: { 'there.sh': '#!/bin/sh\nexit 5\n' } });
    await used.repository.git('update-index', '--chmod=+x', 'there.sh');
    await used.repository.git('checkout-index', '--force', 'there.sh');
    const found = await ahead(used, [
      { script },
      { script, preflight: [{ command: ['./there.sh'] }] },
    ]);
    expect(found.phases.map(codes)).toEqual([[], ['PREFLIGHT_COMMAND_FAILED']]);
  });

  it('may be of one phase, by number or name', async () => {
    const used = await rig();
    const phases = [{ script, preflight: [fails('one')] }, { script }];
    for (const phase of [2, '2', 'step-2'])
      expect((await ahead(used, phases, { phase })).phases.map(({ id }) => id)).toEqual([2]);
    await expectError(
      ahead(used, phases, { phase: 'stepp-2' }),
      'OPTION_INVALID',
      /no phase "stepp-2"/,
    );
    await expectError(ahead(used, phases, { phase: 1, from: 2 }), 'OPTION_INVALID', /no phase "1"/);
  });
});

describe("the operator's conditions of a phase", () => {
  it('are asked at the same time, hooks and commands, and every failure comes at once', async () => {
    const used = await rig();
    const { directory } = used.repository;
    let asked = () => {};
    const commandsBegan = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const hooks = {
      first: async () => {
        await commandsBegan; // alone it would never answer
        throw new Error('not logged in');
      },
      second: () => {
        asked();
        return undefined;
      },
    };
    const result = await used.run(
      [
        {
          script,
          preflight: [
            { hook: 'first' },
            meets(directory, 'a', 'b'),
            fails('one'),
            { hook: 'second' },
            meets(directory, 'b', 'a'),
            { ...fails('two'), hint: 'Try this.' },
          ],
        },
      ],
      { hooks },
    );
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(result.problems).toEqual([
      expect.objectContaining({ message: 'hook "first": not logged in' }),
      expect.objectContaining({ message: '"one" exit 3: one' }),
      { code: 'PREFLIGHT_COMMAND_FAILED', message: '"two" exit 3: two', hint: 'Try this.' },
    ]);
  });
});
