import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { StubAnswer } from './subject.js';

/** A program in the place of the agent's own. */
export interface StubProgram {
  readonly file: string;
  /** How it was started as an agent, in no particular order. */
  calls(): StubCall[];
}

export interface StubCall {
  readonly args: readonly string[];
  readonly stdin: Buffer;
  readonly env: Readonly<Record<string, string>>;
  /** Files that its arguments named, as they were. */
  readonly files: readonly Buffer[];
}

export interface StubBehaviour {
  readonly answers: readonly StubAnswer[];
  /** What it prints as an agent. */
  readonly stdout: string;
  /** Lines of shell that it does before, in the checkout. */
  readonly act?: string;
  /** Its exit status, or the signal that ends it. */
  readonly end?: number | 'TERM';
}

/** Writes the program and the directory of its records. It needs /bin/sh and the usual tools, and no devflow. */
export function writeStubProgram(file: string, behaviour: StubBehaviour): StubProgram {
  const records = `${file}.records`;
  mkdirSync(records, { recursive: true });
  writeFileSync(path.join(records, 'stdout'), behaviour.stdout);
  for (const [index, { stdout, stderr = '' }] of behaviour.answers.entries()) {
    writeFileSync(path.join(records, `answer-${index}`), stdout);
    writeFileSync(path.join(records, `answer-${index}.err`), stderr);
  }
  writeFileSync(file, script(records, behaviour));
  chmodSync(file, 0o755);
  return { file, calls: () => readCalls(records) };
}

function script(records: string, { answers, act = ':', end = 0 }: StubBehaviour): string {
  const cases = answers.map(({ args, status = 0 }, index) => {
    const answer = quote(path.join(records, `answer-${index}`));
    const pattern = args.map((word) => quote(`<${word}>`)).join('*');
    return `  *${pattern}*) cat ${answer}; cat ${answer}.err >&2; exit ${status} ;;`;
  });
  return `#!/bin/sh
# Stands in for an agent: answers questions as its program does, else notes what it was given and plays a turn.
PATH="$PATH:/usr/local/bin:/usr/bin:/bin"
words=
for word; do words="$words<$word>"; done
case "$words" in
${cases.join('\n')}
  *) ;;
esac
call=$(mktemp -d ${quote(`${records}/call-XXXXXX`)}) || exit 70
[ $# -eq 0 ] || printf '%s\\0' "$@" >"$call/args"
cat "/proc/$$/environ" >"$call/env"
cat >"$call/stdin"
number=0
for word; do
  file=\${word#*=}
  number=$((number + 1))
  [ ! -f "$file" ] || cp "$file" "$call/file-$number"
done
export CALL="$call"
${act}
cat ${quote(path.join(records, 'stdout'))}
${end === 'TERM' ? 'kill -s TERM $$' : `exit ${end}`}
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function readCalls(records: string): StubCall[] {
  const calls = readdirSync(records).filter((name) => name.startsWith('call-'));
  return calls.map((call) => {
    const directory = path.join(records, call);
    const names = readdirSync(directory);
    const read = (name: string) =>
      names.includes(name) ? readFileSync(path.join(directory, name)) : Buffer.alloc(0);
    const words = (name: string) => read(name).toString('utf8').split('\0').slice(0, -1);
    return {
      args: words('args'),
      stdin: read('stdin'),
      env: Object.fromEntries(words('env').map((entry) => entry.split(/=(.*)/s).slice(0, 2))),
      files: names.filter((name) => name.startsWith('file-')).map(read),
    };
  });
}
