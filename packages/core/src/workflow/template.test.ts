import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fillVariables,
  knownNames,
  renderTemplate,
  templateNames,
  unknownVariable,
} from './template.js';

const render = (template: string, values: Record<string, string> = {}) =>
  renderTemplate(template, new Map(Object.entries(values)));

describe('a template', () => {
  it('has values in place of names, with or without spaces', () => {
    expect(render('{{a}} {{ a }} {{\ta\n}} {{b.c-d_e.f}}', { a: '1', 'b.c-d_e.f': '2' })).toBe(
      '1 1 1 2',
    );
  });

  it('is gone through once: a value is never expanded again', () => {
    expect(render('{{a}}{{b}}', { a: '{{b}}', b: '{{a}}' })).toBe('{{b}}{{a}}');
    expect(render('{{a}}b}}', { a: '{{', b: 'no' })).toBe('{{b}}');
  });

  it('takes a value as it is, and no part of it for a pattern', () => {
    for (const value of ['$&', '$1', "$'", '$$', '\\{{a}}', '`id`', '$(id)', '\\', ''])
      expect(render('<{{a}}>', { a: value })).toBe(`<${value}>`);
  });

  it('keeps what is escaped', () => {
    expect(render(String.raw`\{{a}} {{a}}`, { a: '1' })).toBe('{{a}} 1');
    expect(templateNames(String.raw`\{{a}} {{b}}`)).toEqual(['b']);
  });

  it('keeps what is no name, and a name without a value', () => {
    const text = '{{}} {{ }} {{1a}} {{a b}} {a} {{a} {{-a}} {{unknown}}';
    expect(render(text, { a: '1', b: '2' })).toBe(text);
    expect(templateNames(text)).toEqual(['unknown']);
  });

  it('has each name once', () => {
    expect(templateNames('{{a}} {{ b.c }} {{a}}')).toEqual(['a', 'b.c']);
  });

  it('without a name stays as it is, and any text survives as a value', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}\\ab$ \n'.split('')) }), (text) => {
        expect(render('[{{value}}]', { value: text, a: 'no', b: 'no', ab: 'no' })).toBe(
          `[${text}]`,
        );
        const plain = text.replaceAll('{{', '{ {');
        expect(render(plain)).toBe(plain);
      }),
    );
  });
});

describe('the names that a prompt may use', () => {
  it('are those of the task, the phase, the run, all phases and the variables', () => {
    expect(knownNames({ phases: [{ name: 'plan' }], variables: { style: '' } })).toEqual([
      'task',
      'phase.id',
      'phase.name',
      'phase.attempt',
      'run.id',
      'run.branch',
      'run.base',
      'run.since',
      'run.diff',
      'phases.plan.summary',
      'phases.plan.text',
      'phases.plan.output',
      'phases.plan.outcome',
      'phases.plan.reasons',
      'phases.plan.artifacts',
      'phases.plan.events',
      'vars.style',
    ]);
  });
});

describe('a command', () => {
  const fill = (...words: string[]) => {
    const unknown: string[] = [];
    return {
      words: fillVariables(words, { check: 'npm test {{vars.check}} $&' }, unknown),
      unknown,
    };
  };

  it('has its variables, once, and leaves all other braces alone', () => {
    expect(
      fill('a {{vars.check}} {{ vars.check }}', '{{task}} {{.Id}} {{json .}} {vars.check}'),
    ).toEqual({
      words: [
        'a npm test {{vars.check}} $& npm test {{vars.check}} $&',
        '{{task}} {{.Id}} {{json .}} {vars.check}',
      ],
      unknown: [],
    });
  });

  it('names those that have no value', () => {
    expect(fill('{{vars.chekc}} {{vars.constructor}}').unknown).toEqual([
      'vars.chekc',
      'vars.constructor',
    ]);
  });
});

it('what has no value is told with where it would get one, or what was meant', () => {
  const known = ['task', 'vars.style'];
  expect(unknownVariable('vars.check', known)).toBe(
    'unknown variable {{vars.check}}; give "check" a value in `variables`, which `--var check=…` replaces',
  );
  expect(unknownVariable('vars.stile', known)).toMatch(/did you mean "vars.style"\?$/);
  expect(unknownVariable('zebra', known)).toMatch(/; known: task, vars.style$/);
});
