import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryForTest } from '../../test/temporary.js';
import { convertingPlaces, hidesTheSame, hidingPlaces } from './hiding-places.js';
import { findRepository } from './repository.js';

const FILTER = '[filter "ev"]\n\tclean = cat\n';

/** Before, nothing converts; `~/more` has a filter and is not included. */
async function placesOf() {
  const { root, home, env, git } = await repositoryForTest();
  writeFileSync(path.join(home, 'more'), FILTER);
  const repository = await findRepository(root, env);
  const before = hidingPlaces(repository, root);
  return {
    git,
    config: path.join(repository.commonDir, 'config'),
    converting: () => convertingPlaces(repository, root, before),
    hidesTheSame: () => hidesTheSame(repository, root, before),
  };
}

describe('a filter that git sees is seen', () => {
  it.each([
    ['in capital letters', '[FILTER "ev"]\n\tCLEAN = cat\n'],
    ['behind a value whose comment seems to go on', `[user]\n\tnote = x # \\\n${FILTER}`],
    ['behind a value that holds a mark of a comment', `[user]\n\tnote = "#"\n${FILTER}`],
    ['in what is included by a name in quotes', '[include]\n\tpath = "~/mo"re\n'],
    ['in what is included by a name in two lines', '[include]\n\tpath = ~/mo\\\nre\n'],
    ['in what is included on a condition', '[includeIf "gitdir:/"]\n\tpath = ~/more\n'],
    ['in what is included by what is included', '[include]\n\tpath = further\n'],
  ])('%s', async (_, text) => {
    const { git, config, converting } = await placesOf();
    writeFileSync(path.join(path.dirname(config), 'further'), '[include]\n\tpath = ~/more\n');
    appendFileSync(config, text);
    expect(await git('config', 'filter.ev.clean')).toBe('cat');
    expect(converting()).toEqual([config]);
  });
});

describe('what is said in the settings', () => {
  it.each([
    'core.attributesFile',
    'core.autoCRLF',
    'core.eol',
    'core.sparseCheckout',
    'core.sparseCheckoutCone',
    'extensions.partialClone',
    'remote.origin.promisor',
    'filter.ev.required',
  ])('by %s converts, and hides nothing', async (key) => {
    const { git, config, ...now } = await placesOf();
    await git('config', key, 'false');
    expect(now.converting()).toContain(config);
    expect(now.hidesTheSame()).toBe(true);
  });

  it.each([
    'core.excludesFile',
    'core.worktree',
    'core.fileMode',
    'core.symlinks',
    'core.ignoreCase',
    'core.ignoreStat',
    'core.checkStat',
    'core.trustCTime',
  ])('by %s hides, and converts nothing', async (key) => {
    const { git, ...now } = await placesOf();
    await git('config', key, 'false');
    expect(now.converting()).toEqual([]);
    expect(now.hidesTheSame()).toBe(false);
  });

  it('of where history is cut off may go: it was fetched', async () => {
    const { root, env, git } = await repositoryForTest();
    const repository = await findRepository(root, env);
    const shallow = path.join(repository.commonDir, 'shallow');
    writeFileSync(shallow, `${await git('rev-parse', 'HEAD')}\n`);
    const before = hidingPlaces(repository, root);
    writeFileSync(shallow, `${'1'.repeat(40)}\n`);
    expect(convertingPlaces(repository, root, before)).toEqual([shallow]);
    rmSync(shallow);
    expect(convertingPlaces(repository, root, before)).toEqual([]);
  });

  it('of other things does neither', async () => {
    const { git, ...now } = await placesOf();
    await git('config', 'core.hooksPath', 'hooks');
    expect(now.converting()).toEqual([]);
    expect(now.hidesTheSame()).toBe(true);
  });
});
