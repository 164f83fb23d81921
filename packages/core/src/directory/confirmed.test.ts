import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import { confirm, confirmationOf, isConfirmed } from './confirmed.js';

const one = { path: '/code/one', hash: 'aa' };
const other = { path: '/code/other', hash: 'bb' };

describe('the confirmation of local code', () => {
  it('holds for a path with a content, and is kept in the state directory', () => {
    const env = { HOME: temporaryDirectory() };
    expect(isConfirmed(one, env)).toBe(false);
    confirm(one, env);
    expect(isConfirmed(one, env)).toBe(true);
    expect(isConfirmed({ ...one, hash: 'ab' }, env)).toBe(false);
    expect(isConfirmed({ ...one, path: '/code/two' }, env)).toBe(false);
    expect(isConfirmed(one, { HOME: temporaryDirectory() })).toBe(false);
  });

  it('is new where nothing was confirmed at that path, and changed where something else was', () => {
    const env = { HOME: temporaryDirectory() };
    expect(confirmationOf(one, env)).toBe('new');
    confirm(one, env);
    expect(confirmationOf(one, env)).toBe('confirmed');
    expect(confirmationOf({ ...one, hash: 'ab' }, env)).toBe('changed');
    expect(confirmationOf(other, env)).toBe('new');
  });

  it('is new where what is kept is no confirmation', () => {
    const home = temporaryDirectory();
    confirm(one, { HOME: home });
    const kept = path.join(home, '.local/state/devflow/confirmed-adapters');
    const file = path.join(kept, readdirSync(kept)[0] ?? '');
    for (const garbage of [
      '',
      '\0',
      'aa',
      'aa  /code/one',
      'aa  /code/one\n\n',
      'aa  /code/two\n',
    ]) {
      writeFileSync(file, garbage);
      expect(confirmationOf(one, { HOME: home })).toBe('new');
    }
  });

  it('of one path leaves that of another, and a new content takes the place of the old', () => {
    const env = { HOME: temporaryDirectory() };
    confirm(one, env);
    confirm(other, env);
    confirm({ ...one, hash: 'ab' }, env);
    expect(isConfirmed(other, env)).toBe(true);
    expect(isConfirmed({ ...one, hash: 'ab' }, env)).toBe(true);
    expect(isConfirmed(one, env)).toBe(false);
  });

  it('that cannot be kept is an error, with where', () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, '.local'), '');
    expect(isConfirmed(one, { HOME: home })).toBe(false);
    expect(() => confirm(one, { HOME: home })).toThrow(
      expect.objectContaining({ code: 'STATE_UNWRITABLE', message: expect.stringContaining(home) }),
    );
  });

  it('that cannot be read is an error, and no confirmation', () => {
    const home = temporaryDirectory();
    confirm(one, { HOME: home });
    const kept = path.join(home, '.local/state/devflow/confirmed-adapters');
    const [file = ''] = readdirSync(kept);
    rmSync(path.join(kept, file));
    mkdirSync(path.join(kept, file));
    expect(() => isConfirmed(one, { HOME: home })).toThrow(
      expect.objectContaining({ code: 'STATE_UNREADABLE', message: expect.stringContaining(kept) }),
    );
  });

  it('in a HOME that cannot be written to is an error', () => {
    const home = temporaryDirectory();
    writeFileSync(path.join(home, '.local'), ''); // nothing can be made below a file, not even by root
    expect(() => confirm(one, { HOME: home })).toThrow(
      expect.objectContaining({ code: 'STATE_UNWRITABLE' }),
    );
  });

  it('needs a place for it', () => {
    expect(() => isConfirmed(one, {})).toThrow(
      expect.objectContaining({ code: 'ENVIRONMENT_INCOMPLETE' }),
    );
  });
});
