import { describe, expect, it } from 'vitest';
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
      required: ['phases'],
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
});
