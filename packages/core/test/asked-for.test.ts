import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExecRequest } from '../src/adapter/index.js';
import { resume, run } from '../src/index.js';
import { agent, start } from './reporting-agent.js';
import { expectError, outcomes, rig } from './rig.js';
import { done } from './scripted-adapter.js';

describe('what a profile asks for', () => {
  it('reaches the adapter, and the version that its preflight found too', async () => {
    const requests: ExecRequest[] = [];
    const able = agent('able', '', {
      capabilities: {
        modes: ['work'],
        models: true,
        effort: true,
        instructions: true,
        mcp: true,
      },
      execCommand(request) {
        requests.push(request);
        return { program: '/bin/sh', args: ['-c', done], stdin: request.prompt };
      },
      preflight: () => Promise.resolve({ problems: [], notes: [], version: '1.2.3' }),
    });
    const mcp = { db: { command: ['cat'], envFrom: ['DB_TOKEN'] } };
    const profile = { adapter: 'able', model: 'm', effort: 'high', instructions: 'Be brief.', mcp };
    const workflow = { profiles: { mine: profile } };
    const used = await start([able], workflow, { agent: 'mine' });
    expect(await used.result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    expect(used.events.findLast(({ type }) => type === 'preflight')).toMatchObject({
      problems: [{ code: 'ENV_MISSING', message: expect.stringContaining('DB_TOKEN') }],
    });

    const env = { ...used.repository.env, DB_TOKEN: 'a-secret-value' };
    const result = await resume('test', { ...used.options, env });
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(requests.at(-1)).toMatchObject({
      model: 'm',
      effort: 'high',
      instructions: 'Be brief.',
      mcp,
      agentVersion: '1.2.3',
    });
  });

  it('names a tool server whose program is not there: agents begin without it, without a word', async () => {
    const able = agent('able', done, { capabilities: { modes: ['work'], mcp: true } });
    const profiles = { mine: { adapter: 'able', mcp: { db: { command: ['no-such-server'] } } } };
    const used = await start([able], { profiles }, { agent: 'mine' });
    expect(await used.result).toMatchObject({
      state: 'waiting',
      problems: [{ code: 'MCP_NOT_FOUND', message: expect.stringContaining('no-such-server') }],
    });
  });

  it('is looked for after the PATH where its package managers put it', async () => {
    const elsewhere = agent('elsewhere', '', {
      searchPath: ['~/.agents/bin'],
      execCommand: ({ prompt }) => ({ program: 'my-agent', args: [], stdin: prompt }),
    });
    const used = await rig();
    const { repository } = used;
    const bin = `${repository.home}/.agents/bin`;
    mkdirSync(bin, { recursive: true });
    writeFileSync(`${bin}/my-agent`, `#!/bin/sh\n${done}\n`, { mode: 0o755 });
    const result = await run(
      { phases: [{ id: 1, name: 'one', prompt: 'Do it', agent: 'elsewhere', retries: 0 }] },
      { task: 'it', cwd: repository.root, env: repository.env, adapters: [elsewhere] },
    );
    expect(outcomes(result)).toEqual(['1 completed']);
  });
});

describe("the agent's own sandbox", () => {
  it('is asked of the adapter, and of one that has none never', async () => {
    const confined: string[] = [];
    const able = agent('able', '', {
      capabilities: { modes: ['work'], ownSandbox: true },
      execCommand({ confinedBy, prompt }) {
        confined.push(confinedBy);
        return { program: '/bin/sh', args: ['-c', done], stdin: prompt };
      },
    });
    const used = await start([able], { sandbox: 'own' }, { agent: 'able' });
    expect(outcomes(await used.result)).toEqual(['1 completed']);
    expect(new Set(confined)).toEqual(new Set(['own']));
    const refused = await start([agent('plain', done)], { sandbox: 'own' }, { agent: 'plain' });
    await expectError(refused.result, 'CONFIG_INVALID', /sandbox: "plain" has none of its own/);
  });
});

describe('a local adapter', () => {
  it('that has changed since the run began stops resume until it is accepted', async () => {
    const source = (hash: string) => ({ source: { path: '/adapters/mine', hash } });
    const broken = agent('mine', 'exit 1', source('1'));
    const used = await start([broken], {}, { agent: 'mine' });
    expect(outcomes(await used.result)).toEqual(['1 failed']);
    const changed = { ...used.options, adapters: [agent('mine', done, source('2'))] };
    await expectError(resume('test', changed), 'CODE_CHANGED', /adapter mine/);
    const accepted = await resume('test', { ...changed, acceptCode: true });
    expect(outcomes(accepted)).toEqual(['1 failed', '1 completed']);
  });
});

describe('the checkout of an agent', () => {
  it('is named by its real path: agents look up by that whether they trust it', async () => {
    const seen: string[] = [];
    const looking = agent('looking', done, {
      execCommand({ cwd, prompt }) {
        seen.push(cwd);
        return { program: '/bin/sh', args: ['-c', done], stdin: prompt };
      },
    });
    const used = await rig();
    const { directory, root, env } = used.repository;
    mkdirSync(path.join(directory, 'real'));
    symlinkSync(path.join(directory, 'real'), path.join(directory, 'linked'));
    const stateDir = path.join(directory, 'linked', 'state');
    await run(
      { phases: [{ id: 1, name: 'one', prompt: 'Do it', agent: 'looking', retries: 0 }] },
      { task: 'it', cwd: root, env, adapters: [looking], stateDir },
    );
    expect(seen.at(-1)).toContain(path.join(realpathSync(directory), 'real', 'state'));
  });
});
