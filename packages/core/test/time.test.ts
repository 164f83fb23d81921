import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentAdapter } from '../src/adapter/index.js';
import { commitFile, giveAnswer } from '../src/testing/index.js';
import { resume } from '../src/index.js';
import { agent, start } from './reporting-agent.js';
import { exitOf, temporaryDirectory } from './temporary.js';
import { runElsewhere } from './holder-process.js';
import { isThere, letGo, patient } from './patient-agent.js';
import { type Rig, expectNothingLeft, outcomes, rig, until } from './rig.js';
import { burn, done, runAdapter, scripted } from './scripted-adapter.js';

describe('a silent agent', () => {
  it('with a child that uses the processor outlives its idleTimeout, up to four times that', async () => {
    const used = await rig();
    const script = `sh -c 'while :; do :; done' & echo start; wait`;
    const result = await used.run([{ script, idleTimeout: '1s' }]);
    expect(outcomes(result)).toEqual(['1 idle']);
    expect(result.attempts[0]?.durationMs).toBeGreaterThan(4_000);
  });

  it('whose child is old and only sleeps is idle', async () => {
    const used = await rig();
    const result = await used.run([{ script: 'sleep 300 & echo start; wait', idleTimeout: '2s' }]);
    expect(outcomes(result)).toEqual(['1 idle']);
    expect(result.attempts[0]?.durationMs).toBeLessThan(8_000);
    const mark = path.join(used.attempt('test', '01-step-1', 1), 'ended-by');
    expect(readFileSync(mark, 'utf8')).toBe('idle');
  });

  it('whose children are young is at work', async () => {
    const used = await rig();
    const script = `for i in 1 2 3 4 5 6; do sleep 0.4; done; ${done}`;
    expect(outcomes(await used.run([{ script, idleTimeout: '1500ms' }]))).toEqual(['1 completed']);
  });
});

/** Its turn is over with its answer, until it says that it goes on. */
const answering: AgentAdapter['createParser'] = () => {
  const lines: string[] = [];
  return {
    line(text) {
      lines.push(text);
      return [];
    },
    openCalls: () => 0,
    result() {
      const last = lines.findLast((line) => line === 'on' || line.startsWith('DEVFLOW_RESULT'));
      const turn = last === undefined || last === 'on' ? 'open' : 'finished';
      return { turn, finalText: lines.join('\n') };
    },
  };
};
const didNotExit = 'the agent finished its turn and did not exit: it was ended';

describe('an agent that has finished its turn', () => {
  const runFinished = async (script: string, idleTimeout: string, timeout = '1m') => {
    const used = await runAdapter(scripted(script, { createParser: answering }), {
      idleTimeout,
      timeout,
    });
    const reason = used.result.attempts[0]?.reasons[0]?.text;
    return { ...used, reason, outcome: outcomes(used.result) };
  };

  it('and does not exit is ended, and is judged by what it said and did', async () => {
    const used = await runFinished(`${done}; exec sleep 300`, '4s');
    expect(used).toMatchObject({ outcome: ['1 completed'], reason: didNotExit });
    expect(used.journal('test').find(({ type }) => type === 'attempt-ended')).toMatchObject({
      status: 143,
    });
    await expectNothingLeft(used);
  });

  it('and has done nothing is judged by that', async () => {
    const used = await runFinished(`${giveAnswer()}; exec sleep 300`, '1s');
    expect(used).toMatchObject({ outcome: ['1 no-change'], reason: didNotExit });
  });

  it('and ignores TERM is killed, with the same verdict', async () => {
    const hang = `trap '' TERM; while :; do sleep 0.1; done`;
    const used = await runFinished(`${done}; ${hang}`, '1s');
    expect(used).toMatchObject({ outcome: ['1 completed'], reason: didNotExit });
    await expectNothingLeft(used);
  });

  it('is waited for while a child of it uses the processor', async () => {
    const work = `{ ${burn(4)}; ${commitFile('late')}; } & wait`;
    const used = await runFinished(`${done}; ${work}; exec sleep 300`, '8s');
    expect(used).toMatchObject({ outcome: ['1 completed'], reason: didNotExit });
    expect(used.result.commits.map(({ subject }) => subject)).toEqual(['Add a', 'Add late']);
  });

  it('and begins another is not ended as one that is finished', async () => {
    const used = await runFinished(`${done}; echo on; exec sleep 300`, '1s');
    expect(used).toMatchObject({
      outcome: ['1 idle'],
      reason: expect.stringMatching(/^the agent was silent for too long/),
    });
  });

  it('is not timed out where its time limit ends it before that', async () => {
    const used = await runFinished(`${done}; exec sleep 300`, '10m', '1s');
    expect(used).toMatchObject({
      outcome: ['1 completed'],
      reason: `${didNotExit} at its time limit`,
    });
  });
});

describe('a stop while the checks of a turn that was ended run', () => {
  it('leaves it without a verdict, and resume comes to it without another launch', async () => {
    const flags = temporaryDirectory();
    const at = (name: string) => `'${path.join(flags, name)}'`;
    const hangs = agent('hangs', `echo x >>${at('launched')}; ${done}; exec sleep 300`, {
      createParser: answering,
    });
    const script = `touch ${at('checking')}; test -e ${at('pass')} || exec sleep 300`;
    const checks = [{ command: ['sh', '-c', script] }];
    const controller = new AbortController();
    const phase = { agent: 'hangs', idleTimeout: '1s', checks };
    const used = await start([hangs], {}, phase, { signal: controller.signal });
    await until(() => existsSync(path.join(flags, 'checking')));
    controller.abort();
    expect(outcomes(await used.result)).toEqual([]);
    writeFileSync(path.join(flags, 'pass'), '');
    const { signal: _, ...options } = used.options;
    const resumed = await resume('test', options);
    expect(outcomes(resumed)).toEqual(['1 completed']);
    expect(resumed.attempts[0]?.reasons[0]?.text).toBe(didNotExit);
    expect(readFileSync(path.join(flags, 'launched'), 'utf8')).toBe('x\n');
  });
});

describe('an attempt that nobody watches for a while', () => {
  it('is not idle for that: devflow was stopped, and goes on', async () => {
    const used = await rig();
    const fifo = path.join(used.repository.directory, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const there = path.join(used.repository.directory, 'there');
    const script = `echo start; touch '${there}'; read -r _ <'${fifo}'; ${done}`;
    const holder = runElsewhere(used, [{ script, idleTimeout: '4s' }]);
    await until(isThere(used));
    holder.kill('SIGSTOP');
    await delay(5_000); // the time itself is what is tested
    const looks = () => switches(holder.pid);
    const before = looks();
    holder.kill('SIGCONT');
    await until(() => looks() > before + 2);
    const end = openSync(fifo, 'r+');
    onTestFinished(() => closeSync(end));
    writeSync(end, 'go\n');
    await exitOf(holder);
    expect(endings(used)).toEqual(['completed']);
  });
});

describe('a devflow that dies while it ends an attempt', () => {
  /** When it is told to end, it kills the devflow that tells it, with no child: that would be told too. */
  const avenging = (used: Rig, then: string) => {
    const pid = path.join(used.repository.directory, 'holder');
    return `told() { read -r pid <'${pid}'; kill -KILL "$pid"; ${then}; }; trap told TERM; while :; do sleep 300; done`;
  };
  const endElsewhere = async (used: Rig, then: string) => {
    const idleTimeout = '2s'; // from its launch: by then it can be told
    const holder = runElsewhere(used, [{ script: avenging(used, then), idleTimeout }]);
    writeFileSync(path.join(used.repository.directory, 'holder'), `${holder.pid}\n`);
    await exitOf(holder);
    expect(holder.signalCode).toBe('SIGKILL');
  };

  it('leaves the word why, which counts more than the status', async () => {
    const used = await rig();
    await endElsewhere(used, 'exit 7');
    expect(outcomes(await used.resume('test'))).toEqual(['1 idle']);
  });

  it('leaves an agent that may go on: it is judged by how it ends by itself', async () => {
    const used = await rig();
    await endElsewhere(used, `trap '' TERM; ${patient(used.repository)}; exit 0`);
    await until(isThere(used));
    const resumed = used.resume('test');
    await until(() => used.events.some(({ type }) => type === 'attempt-started'));
    letGo(used);
    expect(outcomes(await resumed)).toEqual(['1 completed']);
  });
});

/** How often a process has waited: a devflow does so after each look. */
function switches(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1]);
}

function endings(used: Rig): unknown[] {
  return used
    .journal('test')
    .flatMap(({ type, outcome }) => (type === 'attempt-ended' ? [outcome] : []));
}
