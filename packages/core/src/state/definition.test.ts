import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { readDefinition } from './definition.js';
import { makeDirectory, readIfThere, writeDurably } from './files.js';

const whole = {
  v: 1,
  id: 'x',
  task: 't',
  workflow: { name: 'w', phases: [{ id: 1, name: 'p', agents: ['a'] }] },
  range: {},
  base: { commit: 'c', asked: 'HEAD' },
  branch: 'b',
  worktrees: '/w',
  stateDir: '/s',
  codeHashes: {},
};

describe('the definition of a run', () => {
  it.each([
    ['RUN_NOT_FOUND', 'is not there', undefined],
    ['STATE_UNREADABLE', 'is cut off', '{"v":1,'],
    ['JOURNAL_NEWER', 'is of a later format', '{"v":2}'],
    ['JOURNAL_NEWER', 'is nothing at all', 'null'],
    ['STATE_UNREADABLE', 'holds its format alone', '{"v":1}'],
  ])('is refused with %s where it %s', (code, _, content) => {
    const file = path.join(temporaryDirectory(), 'run.json');
    if (content !== undefined) writeFileSync(file, content);
    expect(() => readDefinition(file, 'x')).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ['branch', { branch: undefined }],
    ['workflow.phases.0.name', { workflow: { name: 'w', phases: [{ id: 1, agents: [] }] } }],
    ['base.commit', { base: {} }],
  ])('names the field that is not valid: %s', (name, change) => {
    const file = path.join(temporaryDirectory(), 'run.json');
    writeDurably(file, JSON.stringify({ ...whole, ...change }));
    expect(() => readDefinition(file, 'x')).toThrow(`${file} has no valid "${name}"`);
  });

  it('is given back as it was written', () => {
    const file = path.join(temporaryDirectory(), 'run.json');
    writeDurably(file, JSON.stringify(whole));
    expect(readDefinition(file, 'x')).toEqual(whole);
  });
});

describe('a file that is written durably', () => {
  it('replaces the one before and leaves nothing beside it', () => {
    const file = path.join(temporaryDirectory(), 'file');
    writeDurably(file, 'one');
    writeDurably(file, 'zwölf'.repeat(300_000));
    expect(readFileSync(file, 'utf8')).toBe('zwölf'.repeat(300_000));
    expect(readdirSync(path.dirname(file))).toEqual(['file']);
  });

  it('is left as it was where the new one cannot be put in its place', () => {
    const file = path.join(temporaryDirectory(), 'directory');
    makeDirectory(path.join(file, 'full'));
    expect(() => writeDurably(file, 'content')).toThrow('EISDIR');
    expect(readdirSync(path.dirname(file))).toEqual(['directory']);
  });
});

describe('a file that may not be there', () => {
  it('is undefined where it is not, also below a file', () => {
    const directory = temporaryDirectory();
    writeFileSync(path.join(directory, 'file'), 'content');
    expect(readIfThere(path.join(directory, 'file'))).toBe('content');
    expect(readIfThere(path.join(directory, 'none'))).toBeUndefined();
    expect(readIfThere(path.join(directory, 'file', 'below'))).toBeUndefined();
    expect(() => readIfThere(directory)).toThrow('no regular file');
  });

  it('says of a directory whether it was there already', () => {
    const directory = path.join(temporaryDirectory(), 'a', 'b');
    expect([makeDirectory(directory), makeDirectory(directory)]).toEqual([true, false]);
  });
});
