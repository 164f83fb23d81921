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
  let code;
  // A configuration may end the process, or wait for ever for nothing: that is no success.
  process.once('exit', (status) => {
    // 13: Node.js waited for what never comes. A status of our own (a signal) stays.
    if (code !== undefined || (status !== 0 && status !== 13)) return;
    process.exitCode = 1;
    printTo(
      2,
      'devflow: ended before its work was done: does the configuration exit, or wait for nothing?\n',
    );
  });
  // As they are before code of the user's is there: that is kept off stdout.
  const streams = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream);
    return { stream, write };
  });
  const { main } = await import('../dist/main.js');
  code = await main(args);
  // What a configuration left open (a timer, a connection) must not keep it here; what was printed goes out first.
  for (const { stream, write } of streams) {
    if (!stream.destroyed) await new Promise((resolve) => write('', resolve));
  }
  process.exit(code);
}

/** The file is laid out for 80 columns; a narrower terminal gets its help from the parser. */
function isNarrow() {
  // Only what can be a terminal is asked for its width: that loads as much as all the rest of this file.
  return fstatSync(1).isCharacterDevice() && process.stdout.columns < 80;
}

/** @param {string} text */
function print(text) {
  printTo(1, text);
}

/**
 * @param {number} descriptor
 * @param {string} text
 */
function printTo(descriptor, text) {
  try {
    writeSync(descriptor, text);
  } catch (error) {
    if (error.code !== 'EPIPE') throw error; // nobody reads any more: nothing is lost
  }
}
