import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AgentAdapter, ExecRequest, Probe } from '@devflow/core';
import { AdapterOptionsError, shapeProblems } from '@devflow/core/adapter';
import { readSource } from '@devflow/core/directory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { named } from './named.js';

/** Keeps its state to itself, as classes may. */
class Kept implements AgentAdapter {
  readonly #word: string;
  readonly name = 'kept';
  readonly capabilities = { modes: ['work'] } as const;
  constructor(word: string) {
    this.#word = word;
  }
  configure({ word }: Readonly<Record<string, unknown>>): AgentAdapter {
    return new Kept(String(word));
  }
  execCommand() {
    return { program: this.#word, args: [], stdin: '' };
  }
  completionSignalDetected() {
    return this.#word !== '';
  }
  preflight() {
    return Promise.resolve({ problems: [], notes: [this.#word] });
  }
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
  writeFileSync(path.join(directory, 'adapter.mjs'), '');
});
afterEach(() => rmSync(directory, { recursive: true }));
const request = {} as ExecRequest; // nobody looks at it
const probe = {} as Probe;

describe('an adapter under another name', () => {
  it('is the same adapter, also with the options of a profile', () => {
    const adapter = named(new Kept('one'), 'mine', { notes: [] });
    expect(adapter.name).toBe('mine');
    expect(shapeProblems(adapter)).toEqual([]);
    expect(adapter.execCommand(request).program).toBe('one');
    const configured = adapter.configure?.({ word: 'two' });
    expect(configured).toMatchObject({ name: 'mine', capabilities: { modes: ['work'] } });
    expect(configured?.execCommand(request).program).toBe('two');
    expect(adapter).not.toHaveProperty('source');
  });

  it('carries its source along, and is not launched where that has changed', async () => {
    const source = readSource(directory);
    const adapter = named(new Kept('one'), 'mine', { source, notes: ['told'] }).configure?.({
      word: 'two',
    });
    expect(adapter?.source).toBe(source);
    expect(await adapter?.preflight?.(probe)).toEqual({ problems: [], notes: ['two'] });
    const once = await adapter?.preflight?.({ ...probe, checkLogin: true });
    expect(once?.notes).toEqual(['told', 'two']);
    writeFileSync(path.join(directory, 'adapter.mjs'), '//');
    expect(await adapter?.preflight?.(probe)).toMatchObject({
      problems: [{ code: 'ADAPTER_CHANGED' }],
      notes: [],
    });
  });

  it('speaks of wrong options as ours do, whatever copy of the contract it has', () => {
    const fails = (error: unknown): AgentAdapter => ({
      name: 'fails',
      capabilities: { modes: ['work'] },
      execCommand: () => ({ program: '', args: [], stdin: '' }),
      completionSignalDetected: () => true,
      configure: () => {
        throw error;
      },
    });
    const foreign = Object.assign(new Error('x'), {
      name: 'AdapterOptionsError',
      problems: ['a: wrong'],
    });
    expect(() => named(fails(foreign), 'mine', { notes: [] }).configure?.({})).toThrow(
      AdapterOptionsError,
    );
    expect(() =>
      named(fails(new TypeError('a bug')), 'mine', { notes: [] }).configure?.({}),
    ).toThrow(TypeError);
  });
});
