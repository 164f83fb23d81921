import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryForTest } from '../../test/temporary.js';
import { diffBetween } from './diff.js';
import { changeSince } from './measure.js';

/** A commit that changes a file, after what is to keep that out of a diff. */
async function changed(files: Readonly<Record<string, string>>, ...settings: readonly string[][]) {
  const { git, root, env } = await repositoryForTest({ files: { 'a.sh': 'echo good\n' } });
  const since = await git('rev-parse', 'HEAD');
  for (const setting of settings) await git('config', ...setting);
  for (const [name, content] of Object.entries({ 'a.sh': 'echo bad\n', ...files }))
    writeFileSync(path.join(root, name), content);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'work');
  const { diff } = await changeSince(root, since, env);
  const { stdout } = await diffBetween(path.join(root, '.git'), ['--stat'], [since, 'HEAD'], env);
  return { diff, stat: stdout };
}

describe('a change that is shown', () => {
  it.each<[string, string, string[][]]>([
    ['calls all binary', '* -diff', []],
    ['calls all binary by a macro', '* binary', []],
    ['names a driver that does', 'a.sh diff=mine', [['diff.mine.binary', 'true']]],
    ['names one with a program for its text', 'a.sh diff=mine', [['diff.mine.textconv', 'true']]],
    ['names one with a program for its diff', 'a.sh diff=mine', [['diff.mine.command', 'true']]],
    ['names a program for diffs', '', [['diff.external', 'true']]],
    ['calls binary what has no attribute', '', [['diff.default.binary', 'true']]],
    ['has colours', '', [['color.ui', 'always']]],
  ])('is shown whoever %s', async (_, attributes, settings) => {
    const { diff, stat } = await changed({ '.gitattributes': `${attributes}\n` }, ...settings);
    expect(diff).toMatch(/^-echo good$/m);
    expect(diff).toMatch(/^\+echo bad$/m);
    expect(stat).toMatch(/ a\.sh +\| 2 \+-/);
  });

  it('has no lines of what is binary by its content, nor of what is large, whatever is said of it', async () => {
    const files = { bin: 'x\0y\n', '.gitattributes': '* diff\n', big: 'line\n'.repeat(2_200_000) };
    const { diff } = await changed(files);
    expect(diff).toMatch(/^Binary files \/dev\/null and b\/bin differ$/m);
    expect(diff).toMatch(/^Binary files \/dev\/null and b\/big differ$/m);
  });

  it('has no controls: it goes into prompts', async () => {
    const { diff } = await changed({ late: `${'text\n'.repeat(2_000)}\0\u001B[2J\n` });
    expect(diff).toContain('+\uFFFD\uFFFD[2J\n');
  });
});
