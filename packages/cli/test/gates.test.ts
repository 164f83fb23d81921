/** A person decides from another command line. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROGRAM, nobodyIsLeft, parseRun, processesOf, until } from './command-line.js';
import { WORK, configureGated, gates, phase, prompts, start, status, stays } from './gated.js';
import { here, useOwnRepository } from './own-adapters.js';
import { onePhase } from './workflows.js';

useOwnRepository();

describe('a run at a gate', () => {
  test('from which there is no way back is not offered to be rejected', async () => {
    configureGated(phase(1, 'plan', { gate: 'before' }));
    for (const { stdout } of [await start(), await here.devflow(['gates'])]) {
      expect(stdout).toContain('there is no phase to go back to; to decide:');
      expect(stdout).toContain('devflow abort it');
      expect(stdout).not.toContain('devflow reject');
    }
  });

  test('waits without a process, exits 3, and says what to do; resume says it again', async () => {
    configureGated(phase(1, 'plan', { gate: { when: 'after', message: 'Is the plan good?' } }));
    const { code, stdout } = await start();
    expect(code).toBe(3);
    expect(stdout).toContain('waiting for a person: run it after');
    expect(stdout).toContain('and waits for approval (Is the plan good?)');
    for (const command of ['gates it', 'approve it', 'reject it --note "…"', 'abort it'])
      expect(stdout).toContain(`\n  devflow ${command}`);
    expect(processesOf(here.home)).toEqual([]);
    const { gate } = await status();
    const again = await here.devflow(['resume', 'it']);
    expect(again.code).toBe(3);
    expect((await status()).gate?.gate).toBe(gate?.gate);
    const shown = (await here.devflow(['status'])).stdout;
    expect(shown).toContain(`after phase 1 (${gate?.gate}), since`);
    expect(shown).toContain('next: devflow gates it');
  });

  test('is shown with all that is needed to decide', async () => {
    const checks = [{ name: 'there', command: ['test', '-e', 'made.txt'] }];
    configureGated(
      phase(1, 'plan'),
      phase(2, 'code', { checks, requires: ['answer', 'commit', 'checks'], gate: 'after' }),
    );
    await start();
    const shown = (await here.devflow(['gates'])).stdout;
    const { base, branch } = await status().then(async (run) => ({
      ...run,
      base: await here.git('rev-parse', 'HEAD'),
    }));
    for (const words of [
      /^it {2}waits after phase 2 \(\w+\)\n/,
      /task +Add it\n/,
      /rejected it goes back to code, or by --to to plan\n/,
      /✔ 1 plan {2}scripted {2}completed .*\n +made it\n/,
      /✔ check "there" passed\n/,
      /2 commits on devflow\/it\/work since \w{10}:\n/,
      /made\.txt +\| +1 \+\n/,
      /2 files changed/,
      /the last that scripted said:\n +What I did: all of it\.\n/,
      / devflow logs it\n/,
      / devflow status it\n/,
    ])
      expect(shown).toMatch(words);
    expect(shown).not.toContain('$'); // nobody has stated a cost
    expect(shown).toContain(`git diff ${base.slice(0, 10)} ${branch}`);
    expect(await gates()).toMatchObject([
      {
        run: 'it',
        gate: { kind: 'after', phase: 2 },
        waysBack: ['plan', 'code'],
        attempts: [{}, {}],
      },
    ]);
    expect((await here.devflow(['gates', 'it', '--json'])).stdout).toContain('"diffstat"');
  });

  test('is shown without what an agent hides in its words; the JSON has them as they are', async () => {
    const hidden = '\u202Edetsurt\u202C \u200B\u{E0041}';
    const more = `git commit -q --allow-empty -m 'It is ${hidden}'; echo 'Said ${hidden}';`;
    here.write({
      'devflow.config.json': JSON.stringify(onePhase(`${more} ${WORK}`, { gate: 'after' })),
    });
    await start();
    const views = ['gates', 'explain', 'list', 'status'];
    const shown = await Promise.all(views.map(async (view) => (await here.devflow([view])).stdout));
    expect(shown.join('')).toContain('It is detsurt\n');
    expect(shown.join('')).toContain('Said detsurt');
    expect(shown.join('')).not.toMatch(/[\u202a-\u202e\u200b\u{e0041}]/u);
    const [facts] = await gates();
    expect(facts?.commits.map(({ subject }) => subject)).toContain(`It is ${hidden}`);
    expect(facts?.lastWords).toContain(`Said ${hidden}`);
  });

  test('is approved after kill -9 of the devflow that stayed at it, and the run completes', async () => {
    configureGated(phase(1, 'code', { gate: 'before' }));
    const run = await stays();
    run.child.kill('SIGKILL');
    await run.finished;
    const { code, stdout, stderr } = await here.devflow(['approve', '--note', 'use blue']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'it approved: use blue\n' });
    expect(stdout).toContain('completed: run it after');
    expect(await prompts()).toContain('use blue');
    expect((await here.devflow(['gates'])).stdout).toBe('No run here waits for an answer.\n');
    expect((await here.devflow(['approve', 'it'])).code).toBe(2);
  });

  test('goes on in the devflow that stays at it', async () => {
    configureGated(phase(1, 'code', { gate: 'before' }));
    const run = await stays();
    expect((await here.devflow(['gates', 'it'])).stdout).toMatch(
      /process \d+ stays for the answer/,
    );
    expect((await status()).reason).toMatch(/process \d+ stays for the answer/);
    const { code, stdout } = await here.devflow(['approve', 'it']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^it approved\n(process \d+ goes on: `devflow attach it`|it is completed)/,
    );
    const ended = await run.finished;
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/ approved\n/);
  });

  test('is rejected with a note, back to a phase that is named', async () => {
    configureGated(phase(1, 'plan'), phase(2, 'code', { gate: 'after' }));
    await start();
    const silent = await here.devflow(['reject', 'it']);
    expect({ code: silent.code, said: silent.stderr }).toMatchObject({ code: 2 });
    expect(silent.stderr).toContain('--note: what is to be mended must be said');
    const rejected = await here.devflow([
      'reject',
      '--note',
      'think anew',
      '--to',
      'plan',
      '--json',
    ]);
    expect(rejected.code).toBe(3);
    const { result } = parseRun(rejected.stdout);
    expect(result.attempts.map((attempt) => attempt.phase)).toEqual([1, 2, 1, 2]);
    expect(result).toMatchObject({ waitingFor: 'gate', gate: { kind: 'after', phase: 2 } });
    expect(await prompts()).toContain('think anew');
  });

  test('is ended by an abort; resume asks again', async () => {
    configureGated(phase(1, 'code', { gate: 'before' }));
    await start();
    const { code, stdout } = await here.devflow(['abort', '--note', 'not now']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^it aborted: not now\nit is stopped: aborted at the gate \w+: not now\n$/,
    );
    expect(await gates()).toEqual([]);
    expect((await here.devflow(['resume', 'it'])).code).toBe(3);
    expect(await gates()).toHaveLength(1);
  });

  test('keeps an answer with --no-run, until `resume --due` goes on', async () => {
    configureGated(phase(1, 'code', { gate: 'before' }));
    await start();
    const { stdout } = await here.devflow(['approve', '--no-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'gate-decided',
      run: 'it',
      decision: 'approve',
      state: 'due',
    });
    const shown = (await here.devflow(['status'])).stdout.replace(/\s+/g, ' ');
    expect(shown).toContain(
      'a person said approve; nobody runs it: `devflow resume --due` goes on',
    );
    const again = await here.devflow(['approve']);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('it waits no longer: `devflow resume --due` goes on.');
    expect((await here.devflow(['resume', '--due'])).code).toBe(0);
    expect((await status()).state).toBe('completed');
  });

  test('goes on without the terminal, by --detach', async () => {
    configureGated(phase(1, 'code', { gate: 'before' }));
    await start();
    const { code, stdout } = await here.devflow(['approve', '--detach']);
    expect(code).toBe(0);
    expect(stdout).toContain('run it goes on without this terminal');
    await nobodyIsLeft(here.home);
    expect((await status()).state).toBe('completed');
  });

  test('is not answered twice, nor by two who go on: one of them does', async () => {
    configureGated(phase(1, 'code', { gate: 'before' }));
    await start();
    const both = await Promise.all([1, 2].map(() => here.devflow(['approve', 'it'])));
    expect(both.map(({ code }) => [0, 2].includes(code ?? 1))).toEqual([true, true]);
    expect(both.filter(({ stdout }) => stdout.includes('completed: run it'))).toHaveLength(1);
    expect((await status()).attempts).toHaveLength(1);
  });

  test('is named where several wait', async () => {
    configureGated(phase(1, 'code', { gate: 'before' }));
    await start();
    await here.devflow(['run', 'Add another', '--name', 'other']);
    const { code, stderr } = await here.devflow(['approve']);
    expect(code).toBe(2);
    expect(stderr).toContain('2 runs wait for an answer');
    expect((await gates()).map(({ run }) => run)).toEqual(['it', 'other']);
    expect((await here.devflow(['approve', 'other', '--quiet'])).code).toBe(0);
    expect((await here.devflow(['abort'])).stdout).toContain('it aborted');
  });

  test('is decided at its time limit by `resume --due`', async () => {
    configureGated(
      phase(1, 'code', { gate: { when: 'before', timeout: '1s', onTimeout: 'approve' } }),
    );
    const { stdout } = await start();
    expect(stdout).toMatch(/without an answer until[^;]* it\s+is\s+approved/);
    const { until: instant = '' } = await status();
    await until(
      () => Date.parse(instant) <= Date.now(),
      () => instant,
    );
    expect((await here.devflow(['resume', '--due'])).stdout).toContain(
      'approved, as nobody answered in time',
    );
    expect((await status()).state).toBe('completed');
  });

  test('is not answered by its own agents', async () => {
    const said = path.join(here.directory, 'said');
    const approve = `'${process.execPath}' '${PROGRAM}' approve it --cwd '${here.root}' >'${said}' 2>&1`;
    const workflow = onePhase(`${approve}; ${WORK}`, { gate: 'after' });
    here.write({ 'devflow.config.json': JSON.stringify(workflow) });
    expect((await start()).code).toBe(3);
    expect(readFileSync(said, 'utf8')).toContain('(OWN_RUN)');
    expect(await gates()).toHaveLength(1);
  });
});
