import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dryRun } from '../src/dry-run.js';
import { doctor } from '../src/doctor/doctor.js';
import { command } from '../src/command/index.js';
import { answerGate, status, tellUntold } from '../src/index.js';
import { preflightAhead } from '../src/preflight/ahead.js';
import { type Answer, type Receiver, receiver } from './receiver.js';
import { type Rig, done, expectError, rig, scriptedWorkflow, until } from './rig.js';

const where = ({ repository }: Rig) => ({ cwd: repository.root, env: repository.env });
const events = ({ received }: Receiver) => received.map(({ message }) => message.event);
const notified = (used: Rig) => used.journal('test').filter(({ type }) => type === 'notified');
const notes = (used: Rig) =>
  used.events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
/** Its first message is taken: that is the probe. */
const thenSays =
  (code: number): Answer =>
  (response, count) => {
    response.statusCode = count === 1 ? 200 : code;
    response.end();
  };

/** What a devflow leaves that dies before it has told anybody: its journal up to there. */
function forgetNotified(used: Rig): void {
  const file = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const first = lines.findIndex((line) => line.includes('"type":"notified"'));
  writeFileSync(file, `${lines.slice(0, first).join('\n')}\n`);
}

describe('a run tells', () => {
  it('that it is completed, after that is journalled, and waits until it is told', async () => {
    const used = await rig();
    const hook = await receiver();
    const file = path.join(used.repository.directory, 'told');
    const script = `grep run-ended .git/devflow/runs/test/journal.jsonl >'${file}'`;
    const notify = [{ webhook: hook.url }, { command: ['/bin/sh', '-c', script] }];
    const result = await used.run([{ script: done }], { workflow: { notify } });
    expect(result.state).toBe('completed');
    expect(result).not.toHaveProperty('undelivered');
    expect(events(hook)).toEqual(['probe', 'completed']);
    expect(hook.received[1]?.message).toMatchObject({ run: 'test', task: 'add a greeting' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ type: 'run-ended' });
    const about = used.journal('test').find(({ type }) => type === 'run-ended')?.['seq'];
    expect(notified(used).map(({ channel }) => channel)).toHaveLength(2);
    expect(notified(used)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ about, on: 'completed', channel: `webhook ${hook.url}` }),
        expect.objectContaining({ about, on: 'completed', channel: 'command /bin/sh' }),
      ]),
    );
  });

  it('that it has failed, and of what it is asked for only', async () => {
    const used = await rig();
    const all = await receiver();
    const completions = await receiver();
    const notify = [{ webhook: all.url }, { webhook: completions.url, on: ['completed' as const] }];
    const result = await used.run([{ script: 'exit 1' }], { workflow: { notify } });
    expect(result.state).toBe('failed');
    expect(events(all)).toEqual(['probe', 'failed']);
    expect(events(completions)).toEqual(['probe']);
  });

  it('nothing where a person stops it', async () => {
    const used = await rig();
    const hook = await receiver();
    const stop = new AbortController();
    const script = `: >'${used.repository.directory}/began'; exec sleep 600`;
    const running = used.run([{ script }], {
      workflow: { notify: [{ webhook: hook.url }] },
      signal: stop.signal,
    });
    await until(() => existsSync(path.join(used.repository.directory, 'began')));
    stop.abort();
    expect((await running).state).toBe('stopped');
    expect(events(hook)).toEqual(['probe']);
  });

  it('of a gate, without making its answer wait', async () => {
    const used = await rig();
    const hook = await receiver((response, count) => {
      if (count !== 2) response.end(); // the gate's own is never answered
    });
    const running = used.run([{ script: done }, { script: done, gate: 'before' }], {
      wait: true,
      workflow: { notify: [{ webhook: hook.url, timeout: '600s' }] },
    });
    await until(() => events(hook).includes('gate'));
    const [gate] = used.events.filter((event) => event.type === 'gate-opened');
    expect(hook.received[1]?.message).toMatchObject({ gate: gate?.gate, phase: { id: 2 } });
    await answerGate('test', { decision: 'abort' }, where(used));
    await until(() => used.events.some(({ type }) => type === 'run-ended'));
    await hook.close(); // else it would be waited for as long as its time limit says
    expect((await running).state).toBe('stopped');
    expect(notified(used)).toEqual([]);
  });

  it('that it broke off, where it cannot even say so in its journal', async () => {
    const used = await rig();
    const hook = await receiver();
    const journal = path.join(used.repository.root, '.git/devflow/runs/test/journal.jsonl');
    const running = used.run([{ script: `rm '${journal}'; ${done}` }], {
      workflow: { notify: [{ webhook: hook.url }] },
    });
    await expectError(running, 'STATE_GONE', /was removed/);
    expect(events(hook)).toEqual(['probe', 'failed']);
    expect(hook.received[1]?.message).toMatchObject({
      title: 'devflow: test broke off',
      text: expect.stringMatching(/was removed/),
    });
  });
});

describe('what does not get through', () => {
  it('is recorded and shown, without secrets; the run comes to what it would', async () => {
    const used = await rig();
    const hook = await receiver(thenSays(404));
    const notify = [{ webhook: `${hook.url}/services/a-secret-of-the-path` }];
    const result = await used.run([{ script: done }], { workflow: { notify } });
    const said = { on: 'completed', channel: `webhook ${hook.url}`, problem: 'HTTP 404' };
    expect(result).toMatchObject({ state: 'completed', undelivered: [said] });
    expect(notified(used)).toMatchObject([said]);
    expect(await status('test', where(used))).toMatchObject({ undelivered: [said] });
    expect(notes(used)).toContain(`nobody was told "completed" by webhook ${hook.url}: HTTP 404`);
    expect(JSON.stringify([result, used.journal('test'), used.events])).not.toContain('a-secret');
  });

  it('in the first try may in another, after a pause', async () => {
    const used = await rig();
    const hook = await receiver((response, count) => {
      response.statusCode = count === 2 ? 503 : 200;
      response.end();
    });
    const notify = [{ webhook: hook.url }];
    const result = await used.run([{ script: done }], { workflow: { notify } });
    expect(result).not.toHaveProperty('undelivered');
    expect(events(hook)).toEqual(['probe', 'completed', 'completed']);
  });

  it('of what a condition printed is no secret of a channel or a profile', async () => {
    const used = await rig();
    const hook = await receiver();
    const env = {
      ...used.repository.env,
      API_KEY: 'key-of-the-profile',
      TOKEN: 'token-of-the-hook',
    };
    const preflight = [
      { command: ['/bin/sh', '-c', 'echo has key-of-the-profile and token-of-the-hook; exit 1'] },
    ];
    const { profiles } = scriptedWorkflow([{ script: done }]);
    const result = await used.run([{ script: done, preflight }], {
      env,
      workflow: {
        profiles: { 'agent-1': { ...profiles?.['agent-1'], envFrom: ['API_KEY'] } },
        notify: [{ webhook: hook.url, tokenFrom: 'TOKEN' }],
      },
    });
    expect(result.state).toBe('waiting');
    expect(hook.received.at(-1)?.message.text).toContain('has [redacted] and [redacted]');
  });

  it('as its devflow died before, is told by whoever resumes', async () => {
    const used = await rig();
    const hook = await receiver();
    const workflow = { notify: [{ webhook: hook.url }] };
    await used.run([{ script: done }, { script: done, gate: 'before' }], { workflow });
    expect(events(hook)).toEqual(['probe', 'gate']);
    await used.resume('test');
    expect(events(hook)).toEqual(['probe', 'gate']);
    forgetNotified(used);
    await used.resume('test');
    expect(events(hook)).toEqual(['probe', 'gate', 'gate']);
    expect(notified(used)).toHaveLength(1);
  });

  it('as its devflow died when all was done, is told by whoever finds it completed', async () => {
    const used = await rig();
    const hook = await receiver();
    await used.run([{ script: done }], { workflow: { notify: [{ webhook: hook.url }] } });
    await tellUntold('test', where(used));
    expect(events(hook)).toEqual(['probe', 'completed']);
    expect(await status('test', where(used))).not.toHaveProperty('untold');
    forgetNotified(used);
    expect(await status('test', where(used))).toMatchObject({ untold: true });
    await expectError(used.resume('test'), 'RUN_FINISHED', /is completed/);
    expect(events(hook)).toEqual(['probe', 'completed', 'completed']);
    expect(notified(used)).toHaveLength(1);
    forgetNotified(used);
    await tellUntold('test', where(used));
    expect(events(hook)).toHaveLength(4);
  });
});

describe('a channel that cannot be reached', () => {
  const codes = ({ problems }: { problems: readonly { code: string }[] }) =>
    problems.map(({ code }) => code);

  it('is found before anything is spent, with all else that stands in the way', async () => {
    const used = await rig();
    const hook = await receiver(thenSays(200));
    await hook.close();
    const refusing = await receiver((response) => {
      response.statusCode = 403;
      response.end();
    });
    const notify = [
      { command: ['no-such-notifier'] },
      { command: ['true'], envFrom: ['NOT_SET'] },
      { webhook: refusing.url },
      { urlFrom: 'NO_HOOK' },
      'desktop' as const,
    ];
    const phase = { script: 'exit 1', preflight: [{ command: ['false'] }] };
    const result = await used.run([phase], { workflow: { notify } });
    expect(result).toMatchObject({ state: 'waiting', gate: { kind: 'preflight' }, attempts: [] });
    expect(codes(result)).toEqual([
      'PREFLIGHT_COMMAND_FAILED',
      ...notify.map(() => 'NOTIFY_UNREACHABLE'),
    ]);
    expect(result.problems.map(({ message }) => message).slice(1)).toEqual([
      'nobody can be told by command no-such-notifier: no-such-notifier is not in the PATH, or cannot be executed',
      'nobody can be told by command true: NOT_SET not set',
      `nobody can be told by webhook ${refusing.url}: HTTP 403`,
      'nobody can be told by webhook of NO_HOOK: NO_HOOK not set',
      'nobody can be told by desktop: notify-send is not in the PATH',
    ]);
    expect(result.worktree).toBeUndefined();
  });

  it('is looked at again by resume; a person may go on without it, and each failure is recorded', async () => {
    const used = await rig();
    const program = path.join(used.repository.directory, 'notify');
    const workflow = { notify: [{ command: [program] }] };
    await used.run([{ script: done }], { workflow });
    expect(codes(await used.resume('test'))).toEqual(['NOTIFY_UNREACHABLE']);
    await answerGate('test', { decision: 'approve' }, where(used));
    const result = await used.resume('test', { due: true });
    expect(result).toMatchObject({
      state: 'completed',
      undelivered: [{ on: 'gate' }, { on: 'gate' }, { on: 'completed' }],
    });
  });

  it('is mended, and then the run goes on', async () => {
    const used = await rig();
    const program = path.join(used.repository.directory, 'notify');
    await used.run([{ script: done }], { workflow: { notify: [{ command: [program] }] } });
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
    expect((await used.resume('test')).state).toBe('completed');
    rmSync(program);
  });

  it('is named by the doctor and by a preflight; a dry run looks, sends nothing and says so', async () => {
    const used = await rig();
    const hook = await receiver();
    const workflow = {
      profiles: { it: { adapter: 'command', command: ['true'] } },
      notify: [{ webhook: hook.url, on: ['failed' as const] }, { command: ['no-such-notifier'] }],
      phases: [{ id: 1, name: 'one', agent: 'it', prompt: 'x' }],
    };
    const options = { ...where(used), adapters: [command()] };
    const dry = await dryRun(workflow, { ...options, task: 'x' });
    expect(codes(dry)).toEqual(['NOTIFY_UNREACHABLE']);
    expect(dry.notes).toEqual([expect.stringContaining('nobody is told here')]);
    expect(events(hook)).toEqual([]);
    const ahead = await preflightAhead(workflow, options);
    expect(codes(ahead.repository)).toEqual(['NOTIFY_UNREACHABLE']);
    expect(events(hook)).toEqual(['probe']);
    const findings = await doctor(workflow, options);
    expect(findings.filter(({ what }) => what.startsWith('notify '))).toMatchObject([
      { what: `notify webhook ${hook.url}`, found: 'tells of failed', problems: [] },
      { found: 'tells nobody', problems: [{ code: 'NOTIFY_UNREACHABLE' }] },
    ]);
    expect(events(hook)).toEqual(['probe', 'probe']);
  });
});
