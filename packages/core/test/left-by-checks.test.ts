import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { giveAnswer } from '../src/testing/index.js';
import { objections, outcomes, rig } from './rig.js';

const FILES = { 'greet.sh': '', 'test.sh': 'test "$(sh greet.sh)" = "Hello!"\n' };
const checks = [
  { name: 'tests', command: ['sh', '-c', 'mkdir -p out; date +%N >out/log; sh test.sh'] },
];
const commit = `git add greet.sh && git commit -qm Greet && ${giveAnswer()}`;
/** Wrong at first, mended then; what else is done before that commit. */
const mending = (more = 'true') =>
  `cat >/dev/null; if test -s greet.sh; then echo 'echo Hello!' >greet.sh; ${more}; else echo 'echo Hi' >greet.sh; fi; ${commit}`;

describe('what checks left untracked', () => {
  it.each([false, true])(
    'does not count against those after it, checked before: %s',
    async (before) => {
      const { run, journal } = await rig({ files: FILES });
      const list = checks.map((check) => ({ ...check, ...(before && { before }) }));
      const result = await run([{ script: mending(), checks: list, retries: 1 }]);
      expect(outcomes(result)).toEqual(['1 rejected', '1 completed']);
      const said = result.attempts.at(-1)?.reasons.map(({ text }) => text);
      expect(said).toContain('checks left what is not committed, and it does not count: out/');
      const began = journal('test').filter(({ type }) => type === 'checks-began');
      expect(began.map(({ others }) => others)).toEqual(before ? [[], [], []] : [[], []]);
      expect(existsSync(path.join(result.worktree ?? '', 'out/log'))).toBe(true);
    },
  );

  it('does not count against a later phase', async () => {
    const { run } = await rig({ files: FILES });
    const next = `cat >/dev/null; echo >>greet.sh; ${commit}`;
    const result = await run([
      { script: mending(), checks, retries: 1 },
      { script: next, checks },
    ]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 completed', '2 completed']);
  });

  it.each([
    ['wrote anew', 'echo mine >out/log', 'out/'],
    ['added something to', 'echo mine >out/work', 'out/'],
    ['has something beside', 'echo mine >work', 'work'],
  ])('counts where the agent %s', async (_, act, named) => {
    const { run } = await rig({ files: FILES });
    const script = mending(`${act}; git commit -qm Greet greet.sh; ${giveAnswer()}; exit 0`);
    const result = await run([{ script, checks, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 incomplete']);
    expect(objections(result)).toContain(`1 path not committed: ${named}`);
  });

  it('counts where the agent staged what they left', async () => {
    const { run } = await rig({ files: FILES });
    const list = [{ command: ['sh', '-c', 'echo x >log; sh test.sh'] }];
    const script = mending(`git commit -qm Greet greet.sh; git add log; ${giveAnswer()}; exit 0`);
    const result = await run([{ script, checks: list, retries: 1 }]);
    expect(outcomes(result)).toEqual(['1 rejected', '1 incomplete']);
    expect(objections(result)).toContain('1 path not committed: log');
  });

  it('counts where the agent had made it before they ran', async () => {
    const { run } = await rig({ files: FILES });
    const work = `cat >/dev/null; test -e work || echo mine >work; echo 'echo Hello!' >greet.sh; git commit -qam Greet`;
    const result = await run([
      { script: `${work}; ${giveAnswer()}`, checks, requires: ['answer', 'commit', 'checks'] },
      { script: `cat >/dev/null; echo >>greet.sh; ${commit}`, checks },
    ]);
    expect(outcomes(result)).toEqual(['1 completed', '2 incomplete']);
    expect(objections(result)[0]).toBe('1 path not committed: work');
  });

  it('does not count where devflow was cut off while they ran', async () => {
    const stop = new AbortController();
    const used = await rig({ files: FILES });
    const slow = 'mkdir -p out; echo x >out/log; if test ! -e ../once; then touch ../once; sleep 60; fi; sh test.sh'; // prettier-ignore
    const script = `cat >/dev/null; echo 'echo Hello!' >greet.sh; ${commit}`;
    const first = used.run([{ script, checks: [{ command: ['sh', '-c', slow] }] }], {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type !== 'check-started') return;
        const timer = setInterval(() => {
          const place = used.journal('test').find(({ type }) => type === 'worktree-ready');
          if (!existsSync(path.join(String(place?.['directory']), '../once'))) return;
          clearInterval(timer);
          stop.abort();
        }, 10);
      },
    });
    await first.catch(() => undefined);
    const result = await used.resume('test');
    expect(outcomes(result)).toEqual(['1 completed']);
  });
});
