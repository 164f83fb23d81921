#!/usr/bin/env node
/**
 * The entry point. `devflow --help` and `--version` are answered from files: to load the parser for them
 * would take as long again as Node.js takes to start.
 */
import { fstatSync, readFileSync, writeSync } from 'node:fs';

const args = process.argv.slice(2);
const only = args.length === 1 ? args[0] : undefined;
const file = (name) => new URL(`../${name}`, import.meta.url);

if (['--help', '-h', 'help'].includes(only) && !isNarrow()) {
  print(readFileSync(file('help.txt'), 'utf8'));
} else if (only === '--version' || only === '-V') {
  print(`${JSON.parse(readFileSync(file('package.json'), 'utf8')).version}\n`);
} else {
  const { main } = await import('../dist/main.js');
  process.exitCode = await main(args);
}

/** The file is laid out for 80 columns; a narrower terminal gets its help from the parser. */
function isNarrow() {
  // Only what can be a terminal is asked for its width: that loads as much as all the rest of this file.
  return fstatSync(1).isCharacterDevice() && process.stdout.columns < 80;
}

/** @param {string} text */
function print(text) {
  try {
    writeSync(1, text);
  } catch (error) {
    if (error.code !== 'EPIPE') throw error; // nobody reads any more: nothing is lost
  }
}
