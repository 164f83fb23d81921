import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { type Rig, done, rig } from './rig.js';

/** The prompt of the second phase, without what devflow adds. */
function handed(used: Rig): string {
  const prompt = readFileSync(path.join(used.attempt('test', '02-step-2', 1), 'prompt.md'), 'utf8');
  return prompt.split('\n\n## How to finish')[0] ?? '';
}

const takes = (fact: string) => ({
  script: `cat >/dev/null; ${giveAnswer()}`,
  mode: 'review' as const,
  prompt: `{{phases.step-1.${fact}}}`,
});

describe('the artifacts that a phase hands over', () => {
  it('are its files as they were committed when it ended, each by its name', async () => {
    const used = await rig({ files: { 'README.md': '# Here\n' } });
    const makes = [
      'mkdir -p docs',
      "printf 'one\\n```\\ntwo\\n' > docs/plan.md",
      "printf 'a\\000b' > binary",
      'ln -s /etc/passwd link',
      'git add -A',
      'git commit --quiet -m made',
    ].join(' && ');
    const artifacts = ['docs/plan.md', 'README.md', 'binary', 'link', 'docs', 'missing.md'];
    const result = await used.run([
      { script: `cat >/dev/null; ${makes}; ${giveAnswer()}`, handOver: { artifacts } },
      takes('artifacts'),
    ]);
    expect(result.state).toBe('completed');
    const commit = await used.repository.git('rev-parse', 'devflow/test/work');
    expect(handed(used)).toBe(
      [
        'docs/plan.md:\n\n````\none\n```\ntwo\n````',
        'README.md:\n\n```\n# Here\n```',
        'binary:\n\n(no text: 3 bytes)',
        'link:\n\n(no regular file)',
        'docs:\n\n(no regular file)',
        `missing.md:\n\n(not in the commit ${commit.slice(0, 10)})`,
      ].join('\n\n'),
    );
  });

  it('are cut where they are long, and say so', async () => {
    const used = await rig();
    const makes = "head -c 50000 /dev/zero | tr '\\0' x > long; head -c 1000001 /dev/zero > huge";
    await used.run([
      {
        script: `cat >/dev/null; ${makes}; git add -A; git commit --quiet -m made; ${giveAnswer()}`,
        handOver: { artifacts: ['long', 'huge'] },
      },
      takes('artifacts'),
    ]);
    expect(handed(used)).toMatch(/\nx{40000}…\[10000 more\]\n/);
    expect(handed(used)).toContain('huge:\n\n(too large to be shown: 1000001 bytes)');
  });
});

describe('the events that a phase hands over', () => {
  it('are those of its attempts, by its rules', async () => {
    const used = await rig();
    const result = await used.run([
      {
        script: `cat >/dev/null; echo one; test -e "$HOME/again" && { ${commitFile('a')}; ${giveAnswer()}; exit; }; touch "$HOME/again"; exit 1`,
        retries: 1,
        handOver: { events: [{ event: '*', where: { summary: 'DEVFLOW*' }, remove: true }] },
      },
      takes('events'),
    ]);
    expect(result.state).toBe('completed');
    expect(handed(used)).toBe(
      'attempt 1, failed:\n- text: one\n\nattempt 2, completed:\n- text: one',
    );
  });

  it.each([
    ['gone', 'rm', /^\(the events of attempt 1 cannot be read: ENOENT.*\)\n\(no events\)$/],
    ['a pipe', 'mkfifo', /^\(the events of attempt 1 cannot be read: .* is no regular file\)\n/],
    ['empty', 'empty', /^\(no events\)$/],
    ['damaged', 'damage', /^\(3 of its events cannot be read\)\n- text: hello$/],
  ])('say so where their file is %s', async (_, how, expected) => {
    const used = await rig();
    const file = path.join(used.attempt('test', '01-step-1', 1), 'events.jsonl');
    const event = '{"kind":"text","name":"text","summary":"hello"}';
    const damaged = [event, '{"kind":"text","name":"t","cmd":1}', 'null', '{"kind":"te'].join('\n');
    const ways: Record<string, string> = {
      rm: `rm '${file}'`,
      mkfifo: `rm '${file}'; mkfifo '${file}'`,
      empty: `: > '${file}'`,
      damage: `printf '%s' '${damaged}' > '${file}'`,
    };
    const result = await used.run([
      { script: done, handOver: { events: [] } },
      { ...takes('events'), preflight: [{ command: ['sh', '-c', ways[how] ?? 'false'] }] },
    ]);
    expect(result.state).toBe('completed');
    expect(handed(used)).toMatch(expected);
  });
});
