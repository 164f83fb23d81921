import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Probe } from '@devflow/core';
import { confirm, readSource } from '@devflow/core/directory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adaptersNamed } from './index.js';

let cwd: string;
let env: { HOME: string };
beforeEach(() => {
  cwd = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
  env = { HOME: path.join(cwd, 'home') };
});
afterEach(() => rmSync(cwd, { recursive: true }));

function own(name: string): string {
  const directory = path.join(cwd, '.devflow/adapters', name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'run'), '#!/bin/sh\n');
  chmodSync(path.join(directory, 'run'), 0o755);
  return directory;
}
const named = (...names: string[]) => adaptersNamed(names, { cwd, env });

describe('adapters by name', () => {
  it('are loaded where they are asked for; of the others only the names are known', async () => {
    confirm(readSource(own('mine')), env);
    own('other');
    const adapters = await named('mine', 'command');
    expect(adapters.map(({ name }) => name)).toEqual([
      'mine', 'command', 'claude', 'codex', 'opencode', 'other',
    ]); // prettier-ignore
    expect(adapters.filter(({ capabilities }) => capabilities.modes.length > 0)).toHaveLength(2);
    expect(() => adapters.at(-1)?.completionSignalDetected('')).toThrow('was not loaded');
  });

  it('that are code of your own are given only as they were confirmed', async () => {
    const directory = own('mine');
    await expect(named('mine')).rejects.toMatchObject({ code: 'ADAPTER_UNCONFIRMED' });
    confirm(readSource(directory), env);
    expect((await named('mine'))[0]?.source?.hash).toBe(readSource(directory).hash);
    writeFileSync(path.join(directory, 'more'), '');
    await expect(named('mine')).rejects.toMatchObject({
      code: 'ADAPTER_UNCONFIRMED',
      problems: [expect.stringContaining('has changed since it was confirmed')],
    });
  });

  it('that take the place of one of devflow’s say so, before they are confirmed and when they are used', async () => {
    const directory = own('claude');
    await expect(named('claude')).rejects.toMatchObject({
      problems: [expect.stringContaining(`takes the place of devflow's own "claude"`)],
    });
    confirm(readSource(directory), env);
    confirm(readSource(own('mine')), env);
    const notes = async (name: string) => {
      const [adapter] = await named(name);
      const found = await adapter?.preflight?.({ checkLogin: true } as Probe); // it asks nothing
      return found?.notes;
    };
    expect(await notes('claude')).toEqual([expect.stringContaining("in place of devflow's")]);
    expect(await notes('mine')).toEqual([]);
  });

  it('that are paths, and do not begin as one, are answered with the path', async () => {
    own('mine');
    await expect(named('.devflow/adapters/mine')).rejects.toMatchObject({
      code: 'ADAPTER_UNKNOWN',
      hint: expect.stringContaining('"./.devflow/adapters/mine"'),
    });
    await expect(named('.devflow/adapters/none')).resolves.toBeDefined(); // left to whoever names it
  });

  it('that nobody knows are left to whoever can say where they are named', async () => {
    expect((await named('command')).map(({ name }) => name)).not.toContain('mien');
  });
});
