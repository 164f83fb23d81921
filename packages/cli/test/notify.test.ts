import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RunView } from '@devflow/core';
import { configure, here, useOwnRepository } from './own-adapters.js';
import { WORKS, onePhase } from './workflows.js';

useOwnRepository();

/** A channel that notes what it tells beside the checkout, and fails where there is no such file. */
const told = () => path.join(here.directory, 'told');
const tells = () => [
  { command: ['/bin/sh', '-c', `test -e '${told()}' && echo "$DEVFLOW_EVENT" >>'${told()}'`] },
];
const lines = () => readFileSync(told(), 'utf8').trim().split('\n');
const run = () => here.devflow(['run', 'it', '--name', 'it']);

/** What a devflow leaves that dies before it has told anybody. */
function forgetNotified(): void {
  const journal = path.join(here.root, '.git/devflow/runs/it/journal.jsonl');
  const all = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const first = all.findIndex((line) => line.includes('"type":"notified"'));
  writeFileSync(journal, `${all.slice(0, first).join('\n')}\n`);
}

describe('what nobody was told', () => {
  beforeEach(() => configure({ ...onePhase(WORKS), notify: tells() }));

  test('is in the report and in the status; the run is completed all the same', async () => {
    const said = 'nobody was told "completed" by command /bin/sh: exit 1';
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(stdout.match(new RegExp(said, 'g'))).toHaveLength(2); // when it happened, and in the report
    expect((await here.devflow(['status', 'it'])).stdout).toContain(`  - ${said}\n`);
    const status = await here.devflow(['status', 'it', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      undelivered: [{ on: 'completed', channel: 'command /bin/sh', problem: 'exit 1' }],
    });
  });

  test('as its devflow died is told by `resume --due`, once, of whatever run', async () => {
    writeFileSync(told(), '');
    await run();
    forgetNotified();
    const listed = async () => {
      const { stdout } = await here.devflow(['list', '--json']);
      return (JSON.parse(stdout) as RunView[]).map(({ untold }) => untold);
    };
    expect(await listed()).toEqual([true]);
    for (let count = 0; count < 2; count += 1) {
      const { code, stderr } = await here.devflow(['resume', '--due']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: 'no run is due\n' });
      expect(lines().filter((line) => line !== '')).toEqual(['completed', 'completed']);
    }
    expect(await listed()).toEqual([undefined]);
  });

  test('and still is not, `resume --due` says', async () => {
    await run();
    forgetNotified();
    const { code, stderr } = await here.devflow(['resume', '--due']);
    expect(code).toBe(0);
    expect(stderr).toContain('it: nobody was told "completed" by command /bin/sh: exit 1');
  });
});
