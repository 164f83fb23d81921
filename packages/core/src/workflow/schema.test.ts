import { describe, expect, it } from 'vitest';
import { PROFILE_KEYS } from '../adapter/index.js';
import { validationProblems } from '../evidence/json-schema.js';
import { workflowJsonSchema } from './schema.js';

describe('the JSON Schema of a workflow', () => {
  const schema = workflowJsonSchema() as {
    properties: Record<string, { items?: Record<string, unknown> }>;
    [key: string]: unknown;
  };

  it('knows what the configuration knows, and nothing else', () => {
    expect(schema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      description: expect.stringContaining('numbered phases'),
    });
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining([
        '$schema',
        'name',
        'variables',
        'defaults',
        'profiles',
        'worktree',
        'branchPrefix',
        'sandbox',
        'maxAttempts',
        'phases',
      ]),
    );
    expect(schema.properties['phases']?.items).toMatchObject({
      required: ['id', 'name'],
      additionalProperties: false,
    });
  });

  it.each<[object, boolean]>([
    [{ phases: [{ id: 1, name: 'a', prompt: 'x' }] }, true],
    [{ budget: { usd: 1 } }, true],
    [{ budget: { usd: 1 }, name: 'ours' }, false],
    [{ phases: [] }, false],
    [{}, false],
  ])('takes what a configuration may say, settings alone too: %j', (configuration, isTaken) => {
    expect(validationProblems(schema, configuration).length === 0).toBe(isTaken);
  });

  it('says what each setting of a phase is for', () => {
    const settings = schema.properties['phases']?.items?.['properties'] as Record<
      string,
      { description?: string }
    >;
    for (const { description } of Object.values(settings)) expect(description).toMatch(/.{10,}/);
  });

  it('can be written down', () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it('has in a profile the keys that adapters know to be devflow’s', () => {
    const profiles = schema.properties['profiles'] as {
      additionalProperties?: { properties?: object };
    };
    const keys = Object.keys(profiles.additionalProperties?.properties ?? {});
    expect(keys.toSorted()).toEqual([...PROFILE_KEYS].toSorted());
  });
});
