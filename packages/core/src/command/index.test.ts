import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary.js';
import type { ExecRequest, Probe } from '../adapter/index.js';
import { findProgram } from '../process/program.js';
import { type CommandOptions, command } from './index.js';

const request: ExecRequest = {
  phase: 3,
  mode: 'review',
  prompt: 'Do it.',
  cwd: '/checkout',
  extraWritableRoots: [],
  confinedBy: 'nobody',
  scratchDir: '/scratch',
};
const answer = 'DEVFLOW_RESULT: {"status":"success"}';
const configure = (options: Record<string, unknown>) => command().configure?.(options);

describe('a command as an agent', () => {
  it('reads the prompt from its standard input', () => {
    expect(command({ command: ['node', 'agent.js'] }).execCommand(request)).toEqual({
      program: 'node',
      args: ['agent.js'],
      stdin: 'Do it.',
    });
  });

  it('or from a file whose path is its last argument', () => {
    const agent = command({ command: ['agent', '-p'], promptBy: 'file' });
    expect(agent.execCommand(request)).toEqual({
      program: 'agent',
      args: ['-p', '/scratch/prompt.md'],
      stdin: '',
      files: { 'prompt.md': 'Do it.' },
    });
  });

  it('is told its phase and mode', () => {
    expect(command({ command: ['a'] }).extraEnv?.(request)).toEqual({
      DEVFLOW_PHASE: '3',
      DEVFLOW_MODE: 'review',
    });
  });

  it('is looked for before it is launched', async () => {
    const cwd = temporaryDirectory();
    const env = { PATH: process.env['PATH'] ?? '' };
    const probe = {
      cwd,
      env,
      find: (name: string) => Promise.resolve(findProgram(name, cwd, env)),
    } as unknown as Probe; // all that it looks at
    expect(await command({ command: ['sh'] }).preflight?.(probe)).toEqual({
      problems: [],
      notes: [],
    });
    expect(await command({ command: ['no-such-agent'] }).preflight?.(probe)).toMatchObject({
      problems: [
        {
          code: 'AGENT_NOT_FOUND',
          message: expect.stringContaining('no-such-agent'),
          hint: expect.any(String),
        },
      ],
    });
  });

  it('cannot be used without a command', () => {
    expect(() => command().execCommand(request)).toThrow('command: expected a program');
    expect(() => command().completionSignalDetected('')).toThrow('command: expected a program');
  });
});

describe('the completion signal', () => {
  // prettier-ignore
  const cases: [what: string, signal: CommandOptions['completionSignal'], output: string, detected: boolean][] = [
    ['a marker of another tool', undefined, 'work\nPR REVIEW: approve\n', true],
    ['a marker that cannot be read', undefined, 'PR REVIEW: approved\n', false],
    ['an answer at the end', undefined, `text\n${answer}\n`, true],
    ['an answer that says failed', undefined, 'DEVFLOW_RESULT: {"status":"failed"}', true],
    ['an answer among the last lines', undefined, `${answer}\n\nbye\n\nbye\n`, true],
    ['an answer further up', undefined, `${answer}\none\ntwo\nthree\n`, false],
    ['a template', undefined, 'DEVFLOW_RESULT: {"status":"<success>"}', false],
    ['an answer within a line', undefined, `he said ${answer}`, false],
    ['nothing', undefined, '', false],
    ['empty lines only', undefined, '\n\n\n', false],
    ['a text in the last line', 'ALL DONE', 'x\n- ALL DONE -\n', true],
    ['a text further up', 'ALL DONE', 'ALL DONE\n1\n2\n3', false],
    ['a text that is not there', 'ALL DONE', 'all done', false],
    ['a text that looks like a pattern', 'a.c', 'abc', false],
    ['an answer where a text is asked for', 'ALL DONE', answer, false],
    ['a pattern', { pattern: '^done in \\d+s$' }, 'done in 12s', true],
    ['a pattern that ignores case', { pattern: 'DONE', flags: 'i' }, 'done', true],
    ['a pattern for a whole line, not across lines', { pattern: 'a\\nb' }, 'a\nb', false],
    ['a pattern further up', { pattern: 'done' }, 'done\n1\n2\n3', false],
  ];

  it.each(cases)('of %s (%j) in %j is %s', (_, completionSignal, output, detected) => {
    const agent = command({
      command: ['a'],
      ...(completionSignal !== undefined && { completionSignal }),
    });
    expect(agent.completionSignalDetected(output)).toBe(detected);
  });

  it('says the same each time, also with a pattern that remembers', () => {
    const agent = command({ command: ['a'], completionSignal: { pattern: 'done', flags: 'gy' } });
    expect([1, 2, 3].map(() => agent.completionSignalDetected('done'))).toEqual([true, true, true]);
  });

  it('in a megabyte of one line takes no time', () => {
    const start = performance.now();
    expect(command({ command: ['a'] }).completionSignalDetected('x'.repeat(1e6))).toBe(false);
    expect(command({ command: ['a'] }).completionSignalDetected('\n'.repeat(1e6))).toBe(false);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('the options', () => {
  it('of a profile make the agent', () => {
    const agent = configure({ command: ['agent'], completionSignal: 'bye' });
    expect(agent?.execCommand(request).program).toBe('agent');
    expect(agent?.completionSignalDetected('bye')).toBe(true);
  });

  it.each([
    [{}, ['command: expected an array, found nothing']],
    [
      { command: [] },
      ['command: expected a program and its arguments, such as ["node", "agent.js"], found []'],
    ],
    [{ command: 'agent' }, [expect.stringMatching(/^command: .*array/)]],
    [
      { command: ['a'], promptby: 'file', x: 1 },
      ['promptby: unknown key; did you mean "promptBy"?', expect.stringMatching(/^x: unknown key/)],
    ],
    [{ command: ['a'], promptBy: 'mail' }, [expect.stringMatching(/^promptBy: .*stdin/)]],
    [{ command: ['a'], completionSignal: '' }, [expect.stringMatching(/^completionSignal: /)]],
    [
      { command: ['a'], completionSignal: { pattern: '(' } },
      [expect.stringMatching(/^completionSignal: .*Unterminated group/)],
    ],
    [
      { command: ['a'], completionSignal: { pattern: 'a', flags: 'q' } },
      [expect.stringMatching(/^completionSignal: .*flags/)],
    ],
    [
      { command: 3, promptBy: 4 },
      [expect.stringMatching(/^command: /), expect.stringMatching(/^promptBy: /)],
    ],
  ])('%j are refused, with all that is wrong', (options, problems) => {
    expect(() => configure(options)).toThrow(
      expect.objectContaining({ name: 'AdapterOptionsError', problems }),
    );
  });
});
