import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { findProgram } from './program.js';

function place() {
  const directory = temporaryDirectory();
  const at = (name: string) => path.join(directory, name);
  const program = (name: string, mode = 0o755) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), '#!/bin/sh\n');
    chmodSync(at(name), mode);
    return at(name);
  };
  return { directory, at, program };
}

describe('a program', () => {
  it('is found in the first directory of the PATH that has it', () => {
    const { at, directory, program } = place();
    program('b/tool');
    program('c/tool');
    const env = { PATH: [at('a'), at('b'), at('c')].join(':') };
    expect(findProgram('tool', directory, env)).toBe(at('b/tool'));
    expect(findProgram('other', directory, env)).toBeUndefined();
  });

  it('is not one that cannot be executed, nor a directory', () => {
    const { at, directory, program } = place();
    program('a/tool', 0o644);
    mkdirSync(at('b/tool'), { recursive: true });
    program('c/tool');
    expect(findProgram('tool', directory, { PATH: [at('a'), at('b'), at('c')].join(':') })).toBe(
      at('c/tool'),
    );
  });

  it('is never taken from the checkout by a relative or empty part of the PATH', () => {
    const { directory, program } = place();
    program('tool');
    program('bin/tool');
    expect(findProgram('tool', directory, { PATH: ':.:bin:' })).toBeUndefined();
    expect(findProgram('tool', directory, {})).toBeUndefined();
  });

  it('may be given as a path, from the directory where it is to run', () => {
    const { at, directory, program } = place();
    const file = program('bin/tool');
    expect(findProgram('./bin/tool', directory, {})).toBe(file);
    expect(findProgram('bin/tool', directory, {})).toBe(file);
    expect(findProgram(file, '/', {})).toBe(file);
    expect(findProgram('./none', directory, {})).toBeUndefined();
    symlinkSync(file, at('link'));
    expect(findProgram('./link', directory, {})).toBe(at('link'));
    symlinkSync('nowhere', at('broken'));
    expect(findProgram('./broken', directory, {})).toBeUndefined();
  });

  it('without a name is none', () => {
    expect(findProgram('', '/', { PATH: '/bin' })).toBeUndefined();
  });
});
