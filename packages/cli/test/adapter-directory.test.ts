import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseRun } from './command-line.js';
import {
  KEEPS,
  OWN,
  accept,
  configure,
  here,
  made,
  onePhase,
  useOwnRepository,
  write,
} from './own-adapters.js';
import { WORKS } from './workflows.js';

useOwnRepository();

describe('a directory as an agent', () => {
  test('gets a long prompt byte for byte, and its environment', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    configure(onePhase('mine'));
    await accept('mine');
    const task = `${'ü'.repeat(150_000)} end`;
    writeFileSync(path.join(here.directory, 'task'), task);
    const { code } = await here.devflow(
      ['run', '--task-file', path.join(here.directory, 'task'), '--name', 'it', '--model', 'big'],
      { env: { BOARD_TASK: 'T-1', BOARD_AGENT_ID: 'a7', BOARD_PORT: '4100', MY_TOKEN: 'x' } },
    );
    expect(code).toBe(0);
    expect(await made('prompt.txt')).toContain(`Do: ${task}`);
    const env = (await made('env.txt')).split('\n');
    expect(env).toEqual(
      expect.arrayContaining([
        'AGENT_MODE=work',
        'AGENT_MODEL=big',
        'BOARD_AGENT_ID=a7',
        'BOARD_PORT=4100',
        'BOARD_TASK=T-1',
        expect.stringMatching(/^AGENT_CWD=\/.*\/it$/),
      ]),
    );
    expect(env.join('\n')).not.toMatch(/^(AGENT_PROMPT|MY_TOKEN)=/m);
  });

  test('gets a short prompt in its environment too', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    configure(onePhase('mine'));
    await accept('mine');
    await here.devflow(['run', 'Add it', '--name', 'it']);
    expect(await made('env.txt')).toMatch(/^AGENT_PROMPT=Do: Add it$/m);
    expect(await made('prompt.txt')).toMatch(/^Do: Add it$/m);
  });

  test('that changes while it is used is not launched again', async () => {
    const run = path.join(here.root, OWN, 'mine/run');
    write({ [`${OWN}/mine/run`]: `#!/bin/sh\n${WORKS}; echo '# more' >>'${run}'\n` });
    const [phase] = onePhase('mine').phases;
    configure({ phases: [phase, { ...phase, id: 2, name: 'again' }] });
    await accept('mine');
    const { stdout, code } = await here.devflow(['run', 'x', '--name', 'it', '--json']);
    expect(code).toBe(4);
    const { events } = parseRun(stdout);
    expect(events.filter(({ type }) => type === 'attempt-started')).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'preflight',
        phase: 2,
        problems: [expect.objectContaining({ code: 'ADAPTER_CHANGED' })],
      }),
    );
  });

  test('is found again when its run is resumed', async () => {
    write({ [`${OWN}/mine/run`]: KEEPS });
    const ready = path.join(here.directory, 'ready');
    configure(onePhase('mine', { preflight: [{ command: ['test', '-e', ready] }] }));
    await accept('mine');
    expect((await here.devflow(['run', 'x', '--name', 'it'])).code).toBe(4);
    writeFileSync(ready, '');
    const { code } = await here.devflow(['resume', 'it']);
    expect(code).toBe(0);
    expect(await made('prompt.txt')).toContain('Do: x');
  });
});
