import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DevflowError } from '../errors.js';
import { type Message, messageVariables } from '../notify/message.js';
import { resolveWorkflow } from './workflow.js';

const withNotify = (notify: unknown) =>
  resolveWorkflow({ notify, phases: [{ id: 1, name: 'one', prompt: 'x' }] }, '/');
const problemsOf = (notify: unknown): readonly string[] => {
  try {
    withNotify(notify);
    return [];
  } catch (error) {
    return (error as DevflowError).problems;
  }
};

describe('the channels of a workflow', () => {
  it('say what is wrong with a value, and not that its key is unknown', () => {
    expect(problemsOf([{ command: './tell' }])).toEqual([
      'notify[0].command: expected a list of words, such as ["npm", "test"], found "./tell"',
    ]);
    expect(problemsOf([{ comand: ['tell'] }])).toEqual([
      'notify[0].comand: unknown key; did you mean "command"?',
    ]);
    expect(problemsOf([{ command: ['tell'], urlFrom: 'X' }])).toEqual([
      'notify[0].urlFrom: does not go with the other keys here',
    ]);
  });

  it('tell of everything and have 10 seconds where they say nothing else', () => {
    const { notify } = withNotify([
      { command: ['say', 'it'] },
      { webhook: 'https://hooks.example.com/T/secret', on: ['failed'], timeout: '3s' },
      'desktop',
    ]);
    expect(notify).toMatchObject([
      { type: 'command', timeoutMs: 10_000, on: ['gate', 'waiting', 'failed', 'completed'] },
      { type: 'webhook', timeoutMs: 3_000, on: ['failed'] },
      { type: 'desktop', timeoutMs: 10_000 },
    ]);
  });

  it('have names that differ, and show no secret', () => {
    const webhook = (end: string) => ({ webhook: `https://hooks.example.com/${end}` });
    const { notify = [] } = withNotify([
      { command: ['say', '--token=abc'] },
      webhook('one'),
      webhook('two'),
      { urlFrom: 'HOOK' },
      'desktop',
    ]);
    expect(notify.map(({ name }) => name)).toEqual([
      'command say',
      'webhook https://hooks.example.com',
      'webhook https://hooks.example.com (2)',
      'webhook of HOOK',
      'desktop',
    ]);
  });

  it('are written as docs/waiting.md has it', async () => {
    const document = readFileSync(new URL('../../../../docs/waiting.md', import.meta.url), 'utf8');
    const [, code = ''] = /```js\n(.*?)```/s.exec(document) ?? [];
    const url = `data:text/javascript,${encodeURIComponent(code)}`;
    const { default: shown } = (await import(url)) as { default: unknown };
    const { notify = [] } = resolveWorkflow(shown, '/');
    expect(notify.map(({ type }) => type)).toEqual(['command', 'webhook', 'webhook', 'desktop']);
    const variables = Object.keys(messageVariables({} as Message));
    expect(variables.filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
  });

  it.each([
    [[{ webhook: 'ftp://x/secret' }], 'notify[0].webhook: expected a URL that begins with'],
    [['desktop', { webhook: 'https://me:secret@x' }], 'notify[1].webhook: expected a URL that'],
    [[{ webhook: 'https://x', urlFrom: 'X' }], 'expected either webhook or urlFrom'],
    [[{ headers: {} }], 'expected either webhook or urlFrom'],
    [[{ command: [] }], 'expected a program and its arguments'],
    [[{ command: ['x'], on: [] }], 'expected at least one of them'],
    [[{ command: ['x'], on: ['stopped'] }], 'notify[0].on[0]: expected "gate" or "waiting"'],
    [[{ command: ['x'], timeOut: '1s' }], 'notify[0].timeOut: unknown key'],
    [[{ webhook: 'https://x/secret', heders: {} }], 'did you mean "headers"'],
    [['mail'], 'notify[0]: expected "desktop", found "mail"'],
  ])('%j are refused, and the URL is not shown', (notify, sentence) => {
    const problems = problemsOf(notify);
    expect(problems.join('\n')).toContain(sentence);
    expect(problems.join('\n')).not.toContain('secret');
  });
});
