import { Command } from 'commander';
import { expect, test } from 'vitest';
import { agentsIn } from '../agents.js';
import { refuseSlips } from './slips.js';

function options(...args: string[]) {
  const program = new Command();
  const command = program
    .command('do')
    .option('--model <name>')
    .option('--accept <name...>')
    .option('--json')
    .action(() => undefined);
  refuseSlips(program);
  program.parse(['do', ...args], { from: 'user' });
  return command.opts();
}

test('an option takes one value that is not empty, or as many as it is made for', () => {
  expect(options('--model', 'a', '--json', '--json')).toEqual({ model: 'a', json: true });
  expect(options('--accept', 'a', 'b', '--accept', 'c')).toEqual({ accept: ['a', 'b', 'c'] });
  expect(() => options('--model', '')).toThrow('--model: the value is empty');
  expect(() => options('--accept', 'a', '')).toThrow('--accept: the value is empty');
  expect(() => options('--model', 'a', '--model=b')).toThrow('--model is given twice: "a" and "b"');
});

test('agents are named by comma, and none of them is empty', () => {
  expect(agentsIn(undefined)).toBeUndefined();
  expect(agentsIn('careful, codex')).toEqual(['careful', 'codex']);
  expect(() => agentsIn('careful,,codex')).toThrow('a name is missing in "careful,,codex"');
});
