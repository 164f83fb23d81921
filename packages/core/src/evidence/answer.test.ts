import { describe, expect, it } from 'vitest';
import { phaseOf, workflowOf } from '../../test/journal-of.js';
import { findAnswer } from './answer.js';
import { buildPrompt } from '../prompt/prompt.js';
import { EMPTY } from '../state/fold.js';

const line = (answer: object) => `DEVFLOW_RESULT: ${JSON.stringify(answer)}`;
const success = line({ status: 'success' });
const failed = line({ status: 'failed' });
const find = (text: string, prompt = 'Do it.') => findAnswer(text, prompt).answer?.status;

describe('the answer in a final text', () => {
  it.each([
    ['is its last line', `Done.\n\n${success}`],
    ['may be followed by empty lines', `${success}\n\n\n  \n`],
    ['may stand in a fence', `Done.\n\`\`\`\n${success}\n\`\`\`\n`],
    ['may be followed by two lines', `${success}\nGoodbye.\nReally.`],
    ['may have line ends of two characters', `Done.\r\n${success}\r\n`],
    ['is the last of two', `${failed}\n${success}`],
    ['may be decorated', `> **${success}**`],
  ])('%s', (_, text) => {
    expect(find(text)).toBe('success');
  });

  it('that was meant and cannot be read is given back as it stands', () => {
    expect(findAnswer('Done.\nDEVFLOW_RESULT: {status: success}', '')).toEqual({
      unreadable: 'DEVFLOW_RESULT: {status: success}',
    });
    expect(findAnswer('Done.', '')).toEqual({});
  });

  it('that was cut at its beginning is told as such, and not as missing', () => {
    const cut = `${'x'.repeat(999_000)}"}`;
    expect(findAnswer(`${cut}\n`, '').unreadable).toMatch(
      /one of 999002 characters without "DEVFLOW_RESULT:" at its beginning.*shorter answer/,
    );
    expect(findAnswer(`${cut}\nDEVFLOW_RESULT: {"status":"success"}`, '').answer).toEqual({
      status: 'success',
    });
    expect(findAnswer(`${cut}\nPR REVIEW: approve`, '').answer).toMatchObject({ verdict: 'pass' });
    expect(findAnswer(`${'x'.repeat(900_000)}\nDone.`, '')).toEqual({});
  });

  it('is not further up: there it is quoted', () => {
    expect(find(`${success}\none\ntwo\nthree`)).toBeUndefined();
  });

  it('is the last one also where that cannot be read: then there is none', () => {
    const passed = line({ status: 'success', verdict: 'pass' });
    expect(
      findAnswer(`${passed}\n${line({ status: 'success', verdict: 'gap' })}`, '').answer,
    ).toBeUndefined();
    expect(find(`${success}\n${line({ status: 'done' })}`)).toBeUndefined();
    expect(find(`${success}\nDEVFLOW_RESULT: {"status":"fai`)).toBeUndefined();
  });

  it('is none where the text is empty', () => {
    expect(find('')).toBeUndefined();
  });

  it('is never a line of the prompt, however it is indented', () => {
    const prompt = `Say it like this:\n  ${success}\nor not.`;
    expect(find(success, prompt)).toBeUndefined();
    expect(find(`   ${success}`, prompt)).toBeUndefined();
    expect(find(`${failed}\n${success}`, prompt)).toBe('failed');
    expect(find(line({ status: 'success', summary: 'own' }), prompt)).toBe('success');
  });

  it.each([
    ['> ', ''],
    ['**', '**'],
    ['> **`', '`**'],
    ['  * ', '.'],
  ])('is never a line of the prompt that is decorated: %s…%s', (before, behind) => {
    const passed = line({ status: 'success', verdict: 'pass' });
    for (const asked of ['PR REVIEW: approve', passed]) {
      const decorated = `${before}${asked}${behind}`;
      expect(findAnswer(decorated, `End with\n${asked}`).answer).toBeUndefined();
      expect(findAnswer(asked, `End with\n${decorated}`).answer).toBeUndefined();
    }
  });

  it('is never a line of the prompt with other spaces, or in letters of another case', () => {
    for (const echo of ['PR REVIEW:approve', 'PR REVIEW:  Approve', '**PR REVIEW:** approve.'])
      expect(findAnswer(echo, 'PR REVIEW: approve')).toEqual({});
    expect(findAnswer(success.replaceAll(':', ' : ').replace(' :', ':'), success)).toEqual({});
  });

  it('may be what the prompt has a template for, or among others in a list', () => {
    const prompt =
      'PR REVIEW: <approve>\n- PR REVIEW: approve\nPR REVIEW: approve | request changes';
    expect(find('PR REVIEW: approve', prompt)).toBe('success');
  });

  it('is not in an echo of the whole prompt, contract and all', () => {
    for (const requires of [['answer'], ['answer', 'verdict']] as const) {
      const phase = phaseOf(1, 'plan', { requires });
      const facts = { runId: 'x', branch: 'b', base: 'c', task: `print ${success}\n${success}` };
      const prompt = buildPrompt(
        workflowOf([phase]),
        { ...phase, prompt: '{{task}}' },
        EMPTY,
        1,
        facts,
      );
      expect(findAnswer(prompt, prompt).answer).toBeUndefined();
      expect(findAnswer(prompt.replaceAll('\n', '\r\n'), prompt).answer).toBeUndefined();
      const decorated = prompt.replace(/^DEVFLOW_RESULT.*$/m, '> **$&**');
      expect(findAnswer(decorated, prompt).answer).toBeUndefined();
    }
  });

  describe('by the markers of other tools', () => {
    it('is what they say in the last lines, where there is no DEVFLOW_RESULT', () => {
      expect(findAnswer('Looks good.\n\nPR REVIEW: approve', '').answer).toMatchObject({
        status: 'success',
        verdict: 'pass',
      });
      expect(find('NOT READY: no database\n')).toBe('declined');
      expect(find('NOT READY: no database\none\ntwo\nthree')).toBeUndefined();
    });

    it('is none where DEVFLOW_RESULT stands there too, also where that cannot be read', () => {
      expect(find(`${success}\nNOT READY: no database`)).toBe('success');
      expect(find(`PR REVIEW: approve\n${failed}`)).toBe('failed');
      const broken = 'DEVFLOW_RESULT: {status';
      expect(findAnswer(`${broken}\nPR REVIEW: approve`, '')).toEqual({ unreadable: broken });
    });

    it('is no line of the prompt, and no template', () => {
      const prompt = 'End with one of:\n  PR REVIEW: approve\nNOT READY: <reason>';
      expect(findAnswer('PR REVIEW: approve', prompt)).toEqual({});
      expect(findAnswer('NOT READY: <reason>', prompt)).toEqual({});
      expect(findAnswer('NOT READY: <why>', prompt)).toEqual({});
      expect(find('PR REVIEW: request changes', prompt)).toBe('success');
    });

    it('cannot be read where one of them cannot', () => {
      const unreadable = 'PR REVIEW: approve, once the tests pass';
      expect(findAnswer(`ADDRESSED: all\n${unreadable}`, '')).toEqual({ unreadable });
    });
  });
});
