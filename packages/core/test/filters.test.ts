import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerGate } from '../src/index.js';
import { giveAnswer } from '../src/testing/index.js';
import { where } from './gate-rig.js';
import { type Rig, type ScriptedPhase, objections, outcomes, rig } from './rig.js';

const common = '"$(git rev-parse --git-common-dir)"';
const commit = 'git add --all && git commit -qm work';
const checks = [{ name: 'good', command: ['sh', '-c', 'echo >>"$HOME/checked"; grep good a'] }];
/** Commits `bad` where `good` is in the file, and says so where it is run. */
const evil = (name = 'ev') =>
  `git config filter.${name}.smudge 'echo >>"$HOME/ran"; cat >/dev/null; echo good'; git config filter.${name}.clean 'echo >>"$HOME/ran"; cat >/dev/null; echo bad'`;
const section = String.raw`[filter "ev"]\n\tclean = "echo >>\"$HOME/ran\"; cat >/dev/null; echo bad"\n`;

async function rigWithFilter(): Promise<Rig> {
  const used = await rig({ files: { a: 'start\n' } });
  const { repository } = used;
  await repository.git('config', 'filter.known.clean', 'sed s/large/pointer/');
  await repository.git('config', 'filter.known.smudge', 'sed s/pointer/large/');
  await repository.git('config', 'core.attributesFile', '~/attributes');
  writeFileSync(path.join(repository.home, 'attributes'), '');
  writeFileSync(path.join(repository.home, 'included'), '');
  writeFileSync(path.join(repository.home, '.gitconfig'), '[include]\n\tpath = included\n');
  return used;
}

const there = ({ repository }: Rig, name: string) => existsSync(path.join(repository.home, name));

/** The agent plants it, commits, and takes away what says that its own git ran it. */
const planting = (plant: string): ScriptedPhase => ({
  script: `${plant}; echo 'a filter=ev' >.gitattributes; echo good >a; ${commit}; touch a; rm -f "$HOME/ran"; ${giveAnswer()}`,
  checks,
});

describe('an attempt that changes how git converts files', () => {
  it.each([
    ["in the repository's settings", evil(), '.git/config'],
    [
      'behind a comment that seems to go on',
      `printf '# \\\\\n[filter "ev"] clean = cat\n' >>${common}/config`,
      '.git/config',
    ],
    ['in one line', `echo '[filter "e]v"] clean = cat' >>${common}/config`, '.git/config'],
    ['by what git refuses to read', `echo '[filter' >>${common}/config`, '.git/config'],
    ['as ends of lines', 'git config core.autocrlf input', '.git/config'],
    [
      'by attributes of the repository',
      `mkdir -p ${common}/info; echo 'a filter=known' >${common}/info/attributes`,
      'info/attributes',
    ],
    [
      'by attributes of the user',
      'mkdir -p ~/.config/git; echo "a filter=known" >~/.config/git/attributes',
      '.config/git/attributes',
    ],
    [
      'by the attributes that a setting names',
      'echo "a filter=known" >~/attributes',
      'the file that core.attributesFile names',
    ],
    ["in the user's settings", `git config --global filter.ev.clean cat`, '.gitconfig'],
    [
      "in what the user's settings include",
      `git config --file ~/included filter.ev.clean cat`,
      '.gitconfig',
    ],
    [
      'for worktrees that are made',
      `git config --file ${common}/config.worktree filter.ev.clean cat`,
      'config.worktree',
    ],
    [
      'by what new checkouts leave out',
      `mkdir -p ${common}/info; echo /b >${common}/info/sparse-checkout`,
      'info/sparse-checkout',
    ],
    [
      'behind a path that only git knows',
      `git config include.path '%(prefix)/../etc/evil'`,
      '.git/config',
    ],
    ["in another user's home", `git config include.path '~nobody/evil'`, '.git/config'],
    [
      'by the place of its objects',
      `mkdir objects; echo "$PWD/objects" >>${common}/objects/info/alternates`,
      'objects/info/alternates',
    ],
    [
      'by other parents of a commit',
      `mkdir -p ${common}/info; git rev-parse HEAD >${common}/info/grafts`,
      'info/grafts',
    ],
    ['by cutting off its history', `git rev-parse main >${common}/shallow`, '.git/shallow'],
  ])('%s is not judged: git is not asked, no check is run', async (_, plant, place) => {
    const used = await rigWithFilter();
    const result = await used.run([planting(plant)]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    const [said] = objections(result);
    expect(said).toMatch(/^git could not be asked: how git converts files .* was changed/);
    expect(said?.endsWith(place)).toBe(true);
    expect([there(used, 'ran'), there(used, 'checked')]).toEqual([false, false]);
  });

  it('is not judged where its checks are to see the base', async () => {
    const used = await rigWithFilter();
    const result = await used.run([{ ...planting(evil()), checkFrom: 'base', protect: ['t/**'] }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect([there(used, 'ran'), there(used, 'checked')]).toEqual([false, false]);
  });

  it('is followed by no other before it is put back', async () => {
    const used = await rigWithFilter();
    const phase = planting(`test -e "$HOME/once" || { ${evil()}; touch "$HOME/once"; }`);
    const result = await used.run([{ ...phase, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(there(used, 'ran')).toBe(false);
    await used.repository.git('config', '--remove-section', 'filter.ev');
    const resumed = await used.resume(result.runId);
    expect(outcomes(resumed)).toEqual(['1 incomplete', '1 completed']);
  });

  it('is followed by another once a person has approved that', async () => {
    const used = await rigWithFilter();
    const script = `test -e "$HOME/once" || { git config core.eol lf; touch "$HOME/once"; }; echo good >a; git commit -qam work; ${giveAnswer()}`;
    const result = await used.run([{ script, retries: 1 }]);
    expect(result).toMatchObject({ state: 'waiting', waitingFor: 'preflight' });
    await answerGate('test', { decision: 'approve' }, where(used));
    expect(outcomes(await used.resume('test'))).toEqual(['1 incomplete', '1 completed']);
  });

  it('by checks before it is not judged either', async () => {
    const used = await rigWithFilter();
    const planted = [{ name: 'plant', command: ['sh', '-c', evil()], before: true }];
    const result = await used.run([{ ...planting('true'), checks: planted }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(there(used, 'ran')).toBe(false);
  });

  it('by its checks is not judged by them', async () => {
    const used = await rigWithFilter();
    const planted = [{ name: 'plant', command: ['sh', '-c', evil()] }];
    const script = `echo good >a; ${commit}; ${giveAnswer()}`;
    const result = await used.run([{ script, checks: planted }]);
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(objections(result)).toEqual([expect.stringMatching(/^git could not be asked: how git/)]);
  });
});

describe('how git converts files', () => {
  it('may be as it was, also for more files', async () => {
    const used = await rigWithFilter();
    const script = `echo 'a filter=known' >.gitattributes; echo 'good large' >a; ${commit}; ${giveAnswer()}`;
    const known = [{ name: 'large', command: ['grep', 'good large', 'a'] }];
    const phase = { script, checks: known, checkFrom: 'base' as const, protect: ['t/**'] };
    const result = await used.run([phase]);
    expect(objections(result)).toEqual([]);
    expect(outcomes(result)).toEqual(['1 completed']);
    expect(await used.repository.git('show', `${result.branch}:a`)).toBe('good pointer');
  });

  it('is the same where history that was cut off was fetched', async () => {
    const used = await rigWithFilter();
    const shallow = path.join(used.repository.root, '.git', 'shallow');
    writeFileSync(shallow, `${await used.repository.git('rev-parse', 'HEAD')}\n`);
    const script = `rm ${common}/shallow; echo good >a; ${commit}; ${giveAnswer()}`;
    const result = await used.run([{ script }]);
    expect(objections(result)).toEqual([]);
    expect(outcomes(result)).toEqual(['1 completed']);
  });

  it('keeps the worktree where it changed after the last attempt', async () => {
    const used = await rigWithFilter();
    const script = `echo 'a filter=ev' >.gitattributes; ${commit}; ${giveAnswer()}`;
    const result = await used.run([{ script }], {
      onEvent: (event) => {
        used.events.push(event);
        if (event.type !== 'attempt-ended') return;
        writeFileSync(
          path.join(used.repository.home, 'included'),
          section.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\t`, '\t'),
        );
      },
    });
    expect(outcomes(result)).toEqual(['1 completed']);
    const notes = used.events.flatMap((event) => (event.type === 'note' ? event.text : []));
    expect(notes.join('\n')).toMatch(/is kept: how git converts files/);
    rmSync(path.join(used.repository.home, 'included'));
  });
});
