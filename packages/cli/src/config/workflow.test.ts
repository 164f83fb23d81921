import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { WORKFLOWS, type WorkflowDefinition } from '@devflow/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  leftForLater,
  namedWorkflow,
  withGiven,
  withPhases,
  withSlots,
  withVariables,
} from './workflow.js';

const ours: WorkflowDefinition = {
  name: 'ours',
  defaults: { protect: ['ours/**'] },
  phases: [{ id: 1, name: 'own', prompt: '{{vars.one}}' }],
};

describe('a workflow by name', () => {
  it('protects what the configuration does by default, besides its own', () => {
    const [{ protect = [] } = {}] = namedWorkflow(ours, 'loop').phases;
    expect(protect).toEqual([...(WORKFLOWS.loop.phases[0]?.protect ?? []), 'ours/**']);
    expect(protect.length).toBeGreaterThan(1);
  });

  it('is the standard one where settings have neither phases nor a name', () => {
    const { name, phases } = WORKFLOWS.standard;
    expect(withPhases({ budget: { usd: 1 } })).toEqual({ budget: { usd: 1 }, name, phases });
    for (const data of [{}, { name: 'ours' }, { phases: [], budget: 1 }, [], [1], 'x', null])
      expect(withPhases(data)).toBe(data);
  });
});

it('a variable without a value stands for itself, and is left for --var', () => {
  const looked = withSlots({ ...ours, variables: { two: '2' } }, '/') as WorkflowDefinition;
  expect(looked.variables).toEqual({ one: '{{vars.one}}', two: '2' });
  expect(leftForLater(looked)).toEqual(['one']);
  for (const data of [{ ...ours, variables: { one: '1' } }, {}, { phases: [null] }, 'x', null])
    expect(leftForLater((withSlots(data, '/') ?? {}) as WorkflowDefinition)).toEqual([]);
});

describe('a value of --var', () => {
  const given = (workflow: WorkflowDefinition, ...words: string[]) =>
    withVariables(workflow, '/', words).variables;

  it('is no value where it is blank: a check by it would pass always', () => {
    for (const blank of ['', ' ', '\n\t'])
      expect(() => given(ours, `one=${blank}`)).toThrow('is no name=value');
    expect(given(ours, 'one=a b\nc')).toEqual({ one: 'a b\nc' });
    expect(withGiven(ours, ['one= '])).toEqual({ ...ours, variables: {} });
  });

  it('is asked for where a configuration gives the check of a workflow a blank one', () => {
    for (const variables of [{}, { check: ' ' }])
      expect(() => given(namedWorkflow({ ...ours, variables }, 'loop'))).toThrow(
        '--var: the workflow "loop" asks for "check"',
      );
    expect(given(namedWorkflow(ours, 'loop'), 'check=true')).toMatchObject({ check: 'true' });
  });

  it('is known to be asked for by a prompt file too', () => {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-test-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(path.join(directory, 'p.md'), 'Do {{ vars.two }}');
    const phases = [{ id: 1, name: 'a', promptFile: 'p.md' }];
    expect(withVariables({ phases }, directory, ['two=II']).variables).toEqual({ two: 'II' });
  });

  it('stands for a variable that the configuration does not have', () => {
    expect(withGiven(ours, ['one=I', 'none'])).toEqual({ ...ours, variables: { one: 'I' } });
    const wrong = { ...ours, variables: 7 };
    expect(withGiven(wrong, ['one=I'])).toBe(wrong);
  });
});
