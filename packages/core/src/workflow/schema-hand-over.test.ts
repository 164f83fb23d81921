import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { code, plan, problemsOf } from '../../test/workflow-problems.js';
import { PHASE_FACTS } from './template.js';
import { resolveWorkflow } from './workflow.js';

const problems = (handOver: unknown, more: object = {}) =>
  problemsOf({ phases: [{ ...plan, handOver, ...more }] });

describe('what a phase hands over', () => {
  it('is kept as it is written', () => {
    const handOver = {
      artifacts: ['docs/plan.md', '.github/x.yml'],
      events: [
        { event: 'command', where: { ok: false, cmd: 'npm *' }, key: 'detail', truncate: 200 },
        { event: '*', where: { child: true }, remove: true },
      ],
      maxEvents: 20,
    } as const;
    const workflow = resolveWorkflow(
      {
        phases: [
          {
            ...plan,
            handOver: {
              ...handOver,
              artifacts: [...handOver.artifacts],
              events: [...handOver.events],
            },
          },
          { ...code, prompt: '{{phases.plan.artifacts}} {{phases.plan.events}}' },
        ],
      },
      '/dir',
    );
    expect(workflow.phases[0]?.handOver).toEqual(handOver);
  });

  it.each(['/etc/passwd', '../x', 'a/../../x', './a', 'a/', 'a//b', '.', '.git/config', '*.md'])(
    'names files in the repository, and not %s',
    (file) => {
      expect(problems({ artifacts: [file] })).toEqual([
        expect.stringMatching(/^phases\[0\]\.handOver\.artifacts\[0\]: .*, found ".*"$/),
      ]);
    },
  );

  it.each([
    [{ event: 'commands', remove: true }, /event: expected "\*" or "session" or .*"other", found/],
    [{ event: '*', key: 'output', remove: true }, /key: expected "summary" or "file"/],
    [{ event: '*', truncate: 5 }, /events\[0\]\.key: /],
    [{ event: '*', key: 'text', truncate: -1 }, /truncate: expected 0 or more/],
    [{ event: '*', key: 'text', remove: false }, /remove: expected true/],
    [
      { event: '*', key: 'text', remove: true, truncate: 3 },
      /events\[0\]: expected either remove: true or truncate: <number of characters>, found/,
    ],
    [{ event: '*', key: 'text' }, /events\[0\]: expected either remove: true or truncate/],
    [{ event: '*', where: { exit: 1 }, remove: true }, /where\.exit: unknown key/],
  ])('has rules that mean something, and not %j', (rule, sentence) => {
    expect(problems({ events: [rule] })).toEqual([expect.stringMatching(sentence)]);
  });

  it('shows one event or more', () => {
    expect(problems({ maxEvents: 0 })).toEqual([
      'phases[0].handOver.maxEvents: expected 1 or more, found 0',
    ]);
  });

  it('has files where a prompt asks for them, and none of a review', () => {
    const asks = { ...code, prompt: '{{phases.plan.artifacts}}' };
    expect(problemsOf({ phases: [plan, asks] })).toEqual([
      'phases[1].prompt: {{phases.plan.artifacts}} is always empty: phase "plan" has no handOver.artifacts',
    ]);
    expect(problems({ artifacts: ['a'] }, { mode: 'review', requires: ['answer'] })).toEqual([
      'phases[0].handOver.artifacts: a review keeps no files, so it has none to hand over',
    ]);
  });

  it('is shown in the documents as it is', async () => {
    const file = new URL('../../../../docs/hand-over.md', import.meta.url);
    const document = readFileSync(file, 'utf8');
    const facts = [...document.matchAll(/^\| `\{\{phases\.plan\.(\w+)\}\}`/gm)].map(
      ([, fact]) => fact,
    );
    expect(facts.toSorted()).toEqual([...PHASE_FACTS].toSorted());
    const [, source = ''] = /^```js\n([^]*?)^```$/m.exec(document) ?? [];
    const module = `data:text/javascript,${encodeURIComponent(source)}`;
    const { default: example } = (await import(module)) as { default: unknown };
    expect(problemsOf(example)).toEqual([]);
  });
});
