import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentAdapter, ExecRequest } from '../src/adapter/index.js';
import { commitFile } from '../src/testing/index.js';
import type { WorkflowDefinition } from '../src/workflow/schema.js';
import { agent, reporting, start } from './reporting-agent.js';
import { objections, outcomes } from './rig.js';

describe('an answer by schema', () => {
  const structured = (structuredOutput: unknown) =>
    agent('able', commitFile('a'), {
      capabilities: { modes: ['work', 'review'], structuredOutput: true },
      createParser: reporting({ finalText: 'words', structuredOutput }),
    });
  const bySchema = { agent: 'able', answerBy: 'schema' } as const;

  it('is asked for by a schema in place of a line, and read from the structured output', async () => {
    let asked: ExecRequest | undefined;
    const able = structured({ status: 'success', summary: 'it is done', reason: '' });
    const spied: AgentAdapter = {
      ...able,
      execCommand(request) {
        asked = request;
        return able.execCommand(request);
      },
    };
    const used = await start([spied], {}, bySchema);
    const result = await used.result;
    expect(outcomes(result)).toEqual(['1 completed']);
    const ended = used.journal('test').find(({ type }) => type === 'attempt-ended');
    expect(ended?.['answer']).toEqual({ status: 'success', summary: 'it is done' });
    expect(asked?.outputSchema).toMatchObject({
      required: ['status', 'summary', 'reason'],
      additionalProperties: false,
    });
    const prompt = readFileSync(`${used.attempt('test', '01-one', 1)}/prompt.md`, 'utf8');
    expect(prompt).not.toContain('DEVFLOW_RESULT');
    expect(prompt).toContain('structured');
  });

  it.each([
    ['nothing', undefined, 'the agent gave no structured answer'],
    ['another form', { state: 'ok' }, /cannot be read/],
    ['an unknown status', { status: 'done' }, /cannot be read/],
  ])('that is %s is no answer', async (_, output, why) => {
    const result = await (await start([structured(output)], {}, bySchema)).result;
    expect(outcomes(result)).toEqual(['1 incomplete']);
    expect(objections(result).join('\n')).toMatch(why);
  });

  it('of a phase that judges needs a verdict', async () => {
    const review: Partial<WorkflowDefinition['phases'][number]> = {
      ...bySchema,
      mode: 'review',
      requires: ['answer', 'verdict'],
    };
    const silent = await start([structured({ status: 'success' })], {}, review);
    expect(outcomes(await silent.result)).toEqual(['1 incomplete']);
    const gaps = await start([structured({ status: 'success', verdict: 'gaps' })], {}, review);
    expect(outcomes(await gaps.result)).toEqual(['1 rejected']);
    const pass = await start([structured({ status: 'success', verdict: 'pass' })], {}, review);
    expect(outcomes(await pass.result)).toEqual(['1 completed']);
  });
});
