// The adapter of noter.mjs, the agent that lies beside it.
import { fileURLToPath } from 'node:url';
import * as core from '@devflow/core/adapter';

export { conformance } from './conformance.mjs';

const own = fileURLToPath(new URL('noter.mjs', import.meta.url));
/** What a profile may say: another `program`, and more `args`. */
const RULES = { program: own, owned: ['--read-only', '--model'], loosensReview: [], billing: [] };

/** @returns {import('@devflow/core/adapter').AgentAdapter} */
const noter = ({ program, args }) => ({
  name: 'noter',
  capabilities: { modes: ['work', 'review'], models: true },
  configure: (options) => noter(core.readCliOptions(options, RULES)),

  execCommand({ prompt, mode, model }) {
    const said = [mode === 'review' && '--read-only', model && `--model=${model}`];
    return { program, args: [...args, ...said.filter(Boolean)], stdin: prompt };
  },

  async preflight(probe) {
    if ((await probe.find(program)) !== undefined) return { problems: [], notes: [] };
    const message = `${program} is not there, or cannot be executed.`;
    return { problems: [{ code: 'AGENT_NOT_FOUND', message, hint: 'Install it.' }], notes: [] };
  },

  // A finished turn ends with an `end` that is all right: a stream that breaks off is not done.
  completionSignalDetected: (output) =>
    core.readEntry(output.trimEnd().split('\n').at(-1) ?? '')?.ok === true,

  createParser() {
    let end;
    const found = (line) => {
      const entry = core.readEntry(line);
      if (entry === undefined) return core.plainLine(line);
      const [type = 'entry', file, words] = [entry.type, entry.file, entry.text].map(core.text);
      if (type === 'edit' && file !== undefined)
        return { kind: 'edit', name: type, summary: core.oneLine(`edits ${file}`), file };
      if (type !== 'end') return core.otherEvent(type, line);
      end = { ok: entry.ok === true, words: words ?? 'it says nothing' };
      return { kind: 'end', name: type, summary: core.oneLine(end.words) };
    };
    const state = () => (end === undefined ? 'working' : end.ok ? 'turn_finished' : 'failed');
    return {
      line: (line) => [{ v: 1, child: false, ...found(line), state: state() }],
      openCalls: () => 0,
      result() {
        if (end === undefined) return { turn: 'open' };
        if (end.ok) return { turn: 'finished', finalText: end.words };
        return { turn: 'failed', failure: { kind: 'failed', message: end.words } };
      },
    };
  },
});

export const adapter = noter({ program: own, args: [] });
