// The adapter of noter.mjs, the agent that lies beside it.
import { fileURLToPath } from 'node:url';
import { cut, otherEvent, plainLine, readEntry, text } from '@devflow/core/adapter';

const program = fileURLToPath(new URL('noter.mjs', import.meta.url));

/** @type {import('@devflow/core/adapter').AgentAdapter} */
export const adapter = {
  name: 'noter',
  capabilities: { modes: ['work', 'review'], models: true },

  execCommand: ({ prompt, mode, model }) => ({
    program: process.execPath,
    args: [
      program,
      ...(mode === 'review' ? ['--read-only'] : []),
      ...(model === undefined ? [] : ['--model', model]),
    ],
    stdin: prompt,
  }),

  // A finished turn ends with an `end` that is all right: a stream that breaks off is not done.
  completionSignalDetected: (output) =>
    readEntry(output.trimEnd().split('\n').at(-1) ?? '')?.type === 'end',

  createParser() {
    let end;
    const found = (line) => {
      const entry = readEntry(line);
      if (entry === undefined) return plainLine(line);
      const name = text(entry.type) ?? 'entry';
      if (name === 'end') end = entry;
      const words = text(entry.text);
      const file = text(entry.file);
      if (name === 'end')
        return { kind: 'end', name, summary: cut(words ?? name, 300), text: words };
      if (name === 'edit') return { kind: 'edit', name, summary: `edits ${file}`, file };
      return otherEvent(name, line);
    };
    const state = () => (end === undefined ? 'working' : end.ok ? 'turn_finished' : 'failed');
    return {
      line: (line) => [{ v: 1, child: false, ...found(line), state: state() }],
      openCalls: () => 0,
      result() {
        if (end === undefined) return { turn: 'open' };
        const words = text(end.text) ?? 'it says nothing';
        if (end.ok === true) return { turn: 'finished', finalText: words };
        return { turn: 'failed', failure: { kind: 'failed', message: words } };
      },
    };
  },
};
