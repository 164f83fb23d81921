import { describe, expect, test } from 'vitest';

import { type CliOptionRules, looseArgs, readCliOptions } from './cli-options.js';
import { AdapterOptionsError } from './contract.js';

const RULES: CliOptionRules = {
  program: 'agent',
  owned: ['-p', '--print', '-c', '--json', 'exec'],
  loosensReview: ['--mcp', '-s'],
  billing: ['api-key', 'subscription'],
};

function problemsOf(given: Record<string, unknown>): readonly string[] {
  try {
    readCliOptions(given, RULES);
    return [];
  } catch (error) {
    if (error instanceof AdapterOptionsError) return error.problems;
    throw error;
  }
}

describe('the options of a profile', () => {
  test('are the program and nothing, where nothing is said', () => {
    expect(readCliOptions({}, RULES)).toStrictEqual({ program: 'agent', args: [] });
  });

  test('are what is said', () => {
    const given = { program: '/opt/agent', args: ['--x', 'y'], billing: 'subscription' };
    expect(readCliOptions(given, RULES)).toStrictEqual(given);
  });

  test.each([
    ['an unknown key', { modle: 'x' }, [/^modle: unknown key; did you mean "model"\?$/]],
    ['another type', { program: 1 }, [/^program: expected a text/]],
    ['no program', { program: '' }, [/^program: /]],
    ['no list', { args: '--x' }, [/^args: expected a list of texts/]],
    ['no text', { args: ['--x', 1] }, [/^args\.1: expected a text/]],
    ['another payer', { billing: 'me' }, [/^billing: expected "api-key" or "subscription"/]],
    ['a word first', { args: ['do it'] }, [/^args\.0: a flag first/]],
    ['a command first', { args: ['exec'] }, [/a flag first/, /^args\.0: exec is for devflow/]],
    ['an owned flag', { args: ['--json'] }, [/^args\.0: --json is for devflow/]],
    ['with a value', { args: ['--json=1'] }, [/^args\.0: --json=1 is for devflow/]],
    ['a short one', { args: ['--x', '-c'] }, [/^args\.1: -c is for devflow/]],
    ['with a value joined on', { args: ['-ckey=1'] }, [/^args\.0: -ckey=1 is for devflow/]],
    ['the end of the flags', { args: ['--x', '--', 'y'] }, [/^args\.1: -- would end the flags/]],
  ])('refuse %s', (_, given, problems) => {
    expect(problemsOf(given)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  test.each([
    ['a longer flag', ['--json-lines']],
    ['a long flag that begins as a short one', ['--color', 'never']],
    ['a flag that is not owned', ['-x']],
  ])('take %s', (_, args) => {
    expect(problemsOf({ args })).toEqual([]);
  });

  test('that are wrong are all named at once', () => {
    expect(problemsOf({ program: '', args: ['-p', '--json'], billing: 'me', x: 1 })).toHaveLength(
      5,
    );
  });
});

test('arguments that a review may not have', () => {
  const args = ['--mcp', 'a', '--mcp=b', '--mcp-list', '-sx', '--s', '-s'];
  expect(looseArgs({ program: 'agent', args }, RULES)).toEqual(['--mcp', '--mcp=b', '-sx', '-s']);
});
