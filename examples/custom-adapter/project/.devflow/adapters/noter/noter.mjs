#!/usr/bin/env node
// A small agent: it writes what it is asked to note into NOTES.md and commits it. It tells what it does as JSON,
// one object a line, as coding agents do. With --read-only it changes nothing.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';

const say = (entry) => console.log(JSON.stringify(entry));
const readOnly = process.argv.includes('--read-only');
const brief = process.argv.includes('--model=brief');

const [, asked] = /^Note this: (.+)/m.exec(readFileSync(0, 'utf8')) ?? [];
say({ type: 'start', cwd: process.cwd() });
if (asked === undefined) {
  say({ type: 'end', ok: false, text: 'There is nothing to note.' });
} else if (readOnly) {
  say({ type: 'end', ok: true, text: `It would note: ${asked}` });
} else {
  appendFileSync('NOTES.md', `- ${brief ? asked : `Noted: ${asked}`}\n`);
  say({ type: 'edit', file: 'NOTES.md' });
  execFileSync('git', ['add', 'NOTES.md']);
  execFileSync('git', ['commit', '--quiet', '--message', 'Note what was asked']);
  const answer = { status: 'success', summary: `"${asked}" is in NOTES.md` };
  say({ type: 'end', ok: true, text: `It is noted.\nDEVFLOW_RESULT: ${JSON.stringify(answer)}` });
}
