import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { DevflowError } from '../errors.js';
import { asStateFault } from './fault.js';
import { makeDirectory, writeDurably } from './files.js';

const errno = (code: string, more = {}) =>
  Object.assign(new Error(`${code}: words`), { code, ...more });

describe("an error of the system in devflow's state", () => {
  it.each([
    ['ENOSPC', /disk is full/, /Free some space/],
    ['EROFS', /read-only/, /writable/],
    ['EACCES', /may not read or write/, /right/],
    ['ENOTDIR', /is a file/, /XDG_STATE_HOME/],
    ['EISDIR', /a directory where a file is needed/, /Move that directory away/],
  ])('%s names the path, and says why and what to do', (code, why, hint) => {
    const fault = asStateFault(errno(code, { path: '/a/b' })) as DevflowError;
    expect(fault).toMatchObject({ name: 'DevflowError', code: 'STATE_UNWRITABLE' });
    expect(fault.message).toMatch(why);
    expect(fault.message).toContain('/a/b');
    expect(fault.hint).toMatch(hint);
  });

  it.each([
    ['of devflow', new DevflowError('RUN_HELD', 'held')],
    ['that means nothing ordinary', errno('EPROTO')],
    ['without a code', new TypeError('a bug')],
    ['that is no error', 'thrown'],
  ])('%s is given back as it is', (_, error) => {
    expect(asStateFault(error)).toBe(error);
  });

  it('names what could not be replaced, not what it was written to first', () => {
    const directory = temporaryDirectory();
    const replace = () => {
      try {
        writeDurably(directory, '');
      } catch (error) {
        throw asStateFault(error);
      }
    };
    expect(replace).toThrow(`${directory}: there is a directory`);
  });

  it('is what a directory below a file gives', () => {
    const file = path.join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const fault = expect.objectContaining({ code: 'STATE_UNWRITABLE' });
    expect(() => makeDirectory(path.join(file, 'below'))).toThrow(fault);
    expect(() => makeDirectory(file)).toThrow(fault);
  });
});
