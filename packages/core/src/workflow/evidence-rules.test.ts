import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { code, problemsOf } from '../../test/workflow-problems.js';
import { resolveWorkflow } from './workflow.js';

const problems = (phase: object) => problemsOf({ phases: [{ ...code, ...phase }] });

describe('what a phase asks for by its keys', () => {
  it('is as docs/evidence.md shows it', () => {
    const text = readFileSync(new URL('../../../../docs/evidence.md', import.meta.url), 'utf8');
    const shown = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(
      ([, block = '']) => JSON.parse(block) as object,
    );
    expect(shown).toHaveLength(2);
    for (const phase of shown) expect(problems(phase)).toEqual([]);
  });

  it('is required where requires is left out', () => {
    const asked = { changes: { must: ['a'] }, files: ['b'], checks: [{ command: ['true'] }] };
    const workflow = resolveWorkflow({ phases: [{ ...code, ...asked }] }, '/nonexistent');
    expect(workflow.phases[0]).toMatchObject({
      requires: ['answer', 'commit', 'clean', 'changes', 'files', 'checks'],
      changes: { must: ['a'], mustNot: [] },
      files: ['b'],
    });
  });

  it.each([
    [
      { requires: ['changes'] },
      'phases[0].requires: "changes" is required but the phase has no changes',
    ],
    [{ requires: ['files'] }, 'phases[0].requires: "files" is required but the phase has no files'],
    [
      { requires: ['answer'], changes: { must: ['a'] } },
      'phases[0].changes: expected "changes" in requires, or the changes would decide nothing',
    ],
    [
      { requires: ['answer'], files: ['a'] },
      'phases[0].files: expected "files" in requires, or the files would decide nothing',
    ],
    [
      { requires: ['commit'], answer: {} },
      'phases[0].answer: expected "answer" in requires, or the answer would decide nothing',
    ],
    [
      { mode: 'review', changes: { mustNot: ['a'] } },
      'phases[0].changes: a review changes and makes nothing that is kept: say it of a phase that works',
    ],
    [
      { mode: 'review', files: ['a'] },
      'phases[0].files: a review changes and makes nothing that is kept: say it of a phase that works',
    ],
    [{ changes: {} }, 'phases[0].changes: expected must, mustNot or both, found {}'],
    [{ changes: { must: [] } }, 'phases[0].changes.must: expected at least one pattern, found []'],
    [
      { changes: { must: ['a['] } },
      'phases[0].changes.must[0]: expected a pattern of paths, such as "src/**": Missing closing: "]" - use "\\\\]" to match literal characters, found "a["',
    ],
    [
      { changes: { mustNot: ['/a'] } },
      'phases[0].changes.mustNot[0]: expected a path from the root of the repository, without /, found "/a"',
    ],
    [
      { files: ['../a'] },
      'phases[0].files[0]: expected a path within the repository, from its root, without "." and "..", found "../a"',
    ],
    [
      { files: ['/etc/passwd'] },
      'phases[0].files[0]: expected a path within the repository, from its root, without "." and "..", found "/etc/passwd"',
    ],
    [
      { files: ['docs/'] },
      'phases[0].files[0]: expected a path within the repository, from its root, without "." and "..", found "docs/"',
    ],
    [
      { files: ['.git/config'] },
      'phases[0].files[0]: what is git\'s own is no file of the repository, found ".git/config"',
    ],
    [
      { files: ['docs/*.md'] },
      'phases[0].files[0]: expected the name of one file; patterns go into changes, found "docs/*.md"',
    ],
    [{ files: [] }, 'phases[0].files: expected at least one file, found []'],
  ])('is refused where it could not hold or would decide nothing: %j', (phase, problem) => {
    expect(problems(phase)).toEqual([problem]);
  });
});
