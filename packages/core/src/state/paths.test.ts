import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_ID_LENGTH, attemptDirectory, defaultStateDir, isRunId, runPaths } from './paths.js';
import { worktreesDirectory } from './worktrees-directory.js';

describe('the id of a run', () => {
  it.each(['a', 'A1', 'add-login', 'v1.2.3', 'a_b-c.d', '0', 'x'.repeat(RUN_ID_LENGTH)])(
    'may be "%s"',
    (id) => {
      expect(isRunId(id)).toBe(true);
    },
  );

  it.each([
    '', '.', '..', '../x', 'a/b', 'a b', '-a', 'a-', '.a', 'a.', 'a..b', 'a--b', 'a.-b', '_a', 'a\n', '\na', 'a\0',
    'ä', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a@{1}', 'a\\b', 'main.lock', 'x'.repeat(RUN_ID_LENGTH + 1),
  ])('may not be %j', (id) => {
    expect(isRunId(id)).toBe(false);
  }); // prettier-ignore

  it('is refused at once, whatever it is', () => {
    const start = performance.now();
    expect(isRunId(`${'a'.repeat(RUN_ID_LENGTH - 1)}!`)).toBe(false);
    expect(isRunId(`${'a-'.repeat(29)}!`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('is always one plain part of a path', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aB1._-/ \\\n~'.split('')) }), (id) => {
        if (!isRunId(id)) return;
        const { directory } = runPaths('/repository/.git', id);
        expect(path.dirname(directory)).toBe('/repository/.git/devflow/runs');
        expect(path.basename(directory)).toBe(id);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the files of a run', () => {
  it('lie in the directory that all worktrees share', () => {
    expect(runPaths('/r/.git', 'x')).toMatchObject({
      directory: '/r/.git/devflow/runs/x',
      definition: '/r/.git/devflow/runs/x/run.json',
      journal: '/r/.git/devflow/runs/x/journal.jsonl',
      lock: '/r/.git/devflow/runs/x/lock',
      inbox: '/r/.git/devflow/runs/x/inbox',
    });
  });

  it('have a directory for each attempt, in the order of the phases', () => {
    const paths = runPaths('/r/.git', 'x');
    expect(attemptDirectory(paths, { id: 1, name: 'plan' }, 2)).toBe(
      '/r/.git/devflow/runs/x/01-plan/2',
    );
    expect(attemptDirectory(paths, { id: 112, name: 'ship' }, 1)).toBe(
      '/r/.git/devflow/runs/x/112-ship/1',
    );
  });

  it('never meet: different attempts have different directories', () => {
    const paths = runPaths('/r/.git', 'x');
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,3}$/);
    const attempt = fc.tuple(
      fc.integer({ min: 1, max: 200 }),
      name,
      fc.integer({ min: 1, max: 30 }),
    );
    fc.assert(
      fc.property(attempt, attempt, (a, b) => {
        const [one, other] = [a, b].map(([id, of, number]) =>
          attemptDirectory(paths, { id, name: of }, number),
        );
        return (one === other) === (String(a) === String(b));
      }),
    );
  });
});

describe('the place for worktrees', () => {
  const place = (root: string, commonDir = `${root}/.git`) =>
    worktreesDirectory('/state', { root, commonDir });

  it('has a name that people can read', () => {
    expect(place('/home/me/my project')).toMatch(/^\/state\/worktrees\/my-project-[0-9a-f]{10}$/);
    expect(place('/home/me/über/ünïcödé')).toMatch(
      /^\/state\/worktrees\/[A-Za-z0-9._-]+-[0-9a-f]{10}$/,
    );
    expect(place(`/${'x'.repeat(200)}`).length).toBeLessThan(80);
  });

  it('is another for every repository, whatever it is called', () => {
    const roots = [
      '/a/b',
      '/a-b',
      '/a b',
      '/a/b ',
      '/x/a/b',
      '/a\nb',
      `/${'y'.repeat(50)}1`,
      `/${'y'.repeat(50)}2`,
    ];
    expect(new Set(roots.map((root) => place(root))).size).toBe(roots.length);
  });

  it('is the same from every linked worktree', () => {
    const from = (root: string) => path.basename(place(root, '/main/.git')).slice(-10);
    expect(from('/linked/one')).toBe(from('/linked/two'));
  });

  it.each([
    [{ XDG_STATE_HOME: '/xdg', HOME: '/home/me' }, '/xdg/devflow'],
    [{ XDG_STATE_HOME: 'relative', HOME: '/home/me' }, '/home/me/.local/state/devflow'],
    [{ HOME: '/home/me' }, '/home/me/.local/state/devflow'],
  ])('is below the state directory of %j', (env, expected) => {
    expect(defaultStateDir(env)).toBe(expected);
  });

  it.each([{}, { HOME: '' }, { HOME: 'relative' }, { XDG_STATE_HOME: '' }])(
    'is nowhere with %j',
    (env) => {
      expect(() => defaultStateDir(env)).toThrow(
        expect.objectContaining({ code: 'ENVIRONMENT_INCOMPLETE' }),
      );
    },
  );
});
