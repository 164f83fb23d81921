import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { done } from './scripted-adapter.js';
import { rig } from './rig.js';

const SECRET = 'very-secret-value';
/** As a command prints it that shows what it was given, or a file of the user's. */
const leak = ['/bin/sh', '-c', 'cat "$HOME/token"; exit 1'];

async function leaking() {
  const used = await rig();
  const env = { ...used.repository.env, MY_TOKEN: SECRET };
  writeFileSync(path.join(used.repository.home, 'token'), `it is ${SECRET}\n`);
  const agent = {
    adapter: 'command',
    command: ['/bin/sh', '-c', done],
    envFrom: ['MY_TOKEN'],
  };
  const journal = () => JSON.stringify(used.journal('test'));
  return { ...used, more: { env, workflow: { profiles: { 'agent-1': agent } } }, text: journal };
}

describe('a secret of the run that a command prints is kept nowhere', () => {
  it('of a preflight command', async () => {
    const { run, more, text } = await leaking();
    const { problems } = await run([{ script: '', preflight: [{ command: leak }] }], more);
    expect(problems[0]?.message).toMatch(/exit 1: it is \[redacted\]$/);
    expect(text()).not.toContain(SECRET);
  });

  it('of a setup command', async () => {
    const { run, more, text } = await leaking();
    const workflow = { ...more.workflow, worktree: { setup: [{ command: leak }] } };
    const { problems } = await run([{ script: '' }], { ...more, workflow });
    expect(problems[0]?.message).toMatch(/exit 1\nit is \[redacted\]$/);
    expect(text()).not.toContain(SECRET);
  });

  it('of a check, nor told to an agent', async () => {
    const { run, more, text, attempt, events } = await leaking();
    await run([{ script: '', checks: [{ command: leak }], retries: 1 }], more);
    expect(text()).toContain('it is [redacted]');
    const [first, second] = [1, 2].map((number) => attempt('test', '01-step-1', number));
    const files = [`${first}/checks/1.log`, `${second}/prompt.md`];
    for (const file of files) expect(readFileSync(file, 'utf8')).toContain('it is [redacted]');
    for (const kept of [text(), JSON.stringify(events)]) expect(kept).not.toContain(SECRET);
  });
});
