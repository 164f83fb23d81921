import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TemporaryRepository, temporaryRepository } from '@devflow/core/testing';
import { adapterSubject } from '../src/adapters/subject.js';

const ADAPTER = `{
  name: 'mine',
  capabilities: { modes: ['work'] },
  execCommand: ({ prompt }) => ({ program: 'parrot', args: [], stdin: prompt }),
  completionSignalDetected: () => false,
}`;
const THROWS = `() => { throw new Error('boom'); }`;
const PROXY = `new Proxy({}, { get: ${THROWS}, has: ${THROWS}, ownKeys: ${THROWS} })`;

describe('the subject that a module is', () => {
  let here: TemporaryRepository;
  beforeEach(async () => {
    here = await temporaryRepository();
  });
  afterEach(() => here.remove());

  const subjectOf = (code: string, file = 'mine.mjs') => {
    here.write({ [file]: code });
    return adapterSubject(`./${file}`, { cwd: here.root, env: here.env });
  };

  test.each(['mjs', 'ts', 'cjs'])('is read by running it once: %s', async (kind) => {
    const ran = path.join(here.root, 'ran');
    const note = (fs: string) => `${fs}.appendFileSync(${JSON.stringify(ran)}, 'once');`;
    const [start, share] =
      kind === 'cjs'
        ? [note(`require('node:fs')`), 'exports.']
        : [`import fs from 'node:fs'; ${note('fs')}`, 'export const '];
    const subject = await subjectOf(
      `${start}
      ${share}adapter = ${ADAPTER};
      ${share}conformance = { stub: { program: 'parrot' } };`,
      `mine.${kind}`,
    );
    expect(subject).toMatchObject({ adapter: { name: 'mine' }, stub: { program: 'parrot' } });
    expect(readFileSync(ran, 'utf8')).toBe('once');
  });

  test.each([
    ['exports a proxy', `module.exports = ${PROXY};`, 'mine.cjs', /boom/],
    ['gives a proxy', `export const adapter = ${PROXY};`, 'mine.mjs', /boom/],
    ['gives a proxy when it is called', `export const adapter = () => (${PROXY});`, 'mine.mjs', /boom/],
    ['has a proxy for its conformance', `export const adapter = ${ADAPTER}; export const conformance = ${PROXY};`, 'mine.mjs', /its conformance cannot be read: Error: boom/],
  ])('is refused where it %s that throws', async (_, code, file, message) => {
    await expect(subjectOf(code, file)).rejects.toMatchObject({
      code: 'ADAPTER_INVALID',
      message: expect.stringMatching(message),
    });
  }); // prettier-ignore

  test('is refused with every member that throws', async () => {
    const code = `export const adapter = { ...${ADAPTER},
      get execCommand() { throw new Error('boom'); },
      get preflight() { throw new Error('bang'); },
    };`;
    await expect(subjectOf(code)).rejects.toMatchObject({
      code: 'ADAPTER_INVALID',
      problems: [
        'execCommand: cannot be read: Error: boom',
        'preflight: cannot be read: Error: bang',
      ],
    });
  });
});
