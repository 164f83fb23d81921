import { type Interface, createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ask, type GateFacts, type GateWord, gateFacts } from '@devflow/core';
import type { Place } from '../place.js';
import type { Reporter } from '../reporters/reporter.js';
import type { Terminal } from '../terminal.js';
import { attemptLabel } from '../text/attempts.js';
import { NO_WAY_BACK } from '../text/decisions.js';
import { gateText } from '../text/gate.js';
import { oneLine } from '../text/style.js';
import { dropTypedAhead } from './typed-ahead.js';

/**
 * Reads a line, or all that is pasted at once, up to the last line that was ended; undefined where the input ends,
 * or the question is over.
 */
type ReadLine = (question: string) => Promise<string | undefined>;

/** What comes in so short a time after a line was pasted with it. */
const PASTE_MS = 50;

/** Asks a person on the terminal, who is shown the same facts as by `devflow gates`. */
export function askerOn(
  terminal: Terminal,
  place: Place,
): { readonly asker: (reporter: Reporter) => Ask } {
  const style = terminal.errStyle;
  return {
    asker: (reporter) => (run, _, signal) =>
      reporter.aside(async () => {
        const facts = await gateFacts(run, place);
        if (facts === undefined) return undefined; // answered by somebody else already
        await dropTypedAhead(process.stdin, () => process.kill(process.pid, 'SIGINT'));
        terminal.err(`\n${gateText(facts, { style, width: terminal.errWidth })}\n`);
        return withLines(signal, (read) => askFor(facts, read));
      }),
  };
}

/** Lines are read as the terminal gives them, so that Ctrl-C and Ctrl-\ mean here what they always mean. */
async function withLines<T>(signal: AbortSignal, use: (read: ReadLine) => Promise<T>): Promise<T> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: false,
    signal,
  });
  const closed = new Promise<undefined>((resolve) =>
    lines.once('close', () => {
      process.stderr.write('\n'); // the question stands without an answer
      resolve(undefined);
    }),
  );
  const answer = async (question: string) => {
    const first = await new Promise<string>((resolve) => lines.question(question, resolve));
    return [first, ...(await pastedWith(lines))].join('\n');
  };
  let isOver = signal.aborted;
  void closed.then(() => (isOver = true));
  try {
    return await use((question) => (isOver ? closed : Promise.race([answer(question), closed])));
  } finally {
    lines.close();
  }
}

/** The further lines of what was pasted: they belong to the first, and answer no other question. */
async function pastedWith(lines: Interface): Promise<string[]> {
  const more: string[] = [];
  const add = (line: string) => void more.push(line);
  lines.on('line', add);
  let seen = -1;
  while (seen !== more.length) {
    seen = more.length;
    await delay(PASTE_MS);
  }
  lines.off('line', add);
  return more;
}

/** Until it is an answer; undefined where it is left for later. */
export async function askFor(facts: GateFacts, read: ReadLine): Promise<GateWord | undefined> {
  const isPreflight = facts.gate.kind === 'preflight';
  const impossible = new Set([
    isPreflight ? undefined : 'recheck',
    facts.waysBack.length === 0 ? 'reject' : undefined,
  ]);
  const choices = isPreflight
    ? '[a]pprove once all the same, [c]heck again, a[b]ort, [l]ater? '
    : impossible.has('reject')
      ? `${NO_WAY_BACK}: [a]pprove, a[b]ort, [l]ater? `
      : '[a]pprove, [r]eject, a[b]ort, [l]ater? ';
  for (;;) {
    const said = (await read(choices))?.trim().toLowerCase() ?? 'later';
    if (/^l(ater)?$/.test(said)) return undefined;
    const decision = DECISIONS.find(({ words }) => words.test(said))?.decision;
    if (decision === undefined || impossible.has(decision)) continue;
    if (decision === 'recheck') return { decision };
    const word =
      decision === 'reject' ? await rejection(facts, read) : await withNote(decision, read);
    if (word !== undefined) return word;
  }
}

const DECISIONS = [
  { decision: 'approve', words: /^a(pprove)?$/ },
  { decision: 'reject', words: /^r(eject)?$/ },
  { decision: 'recheck', words: /^c(heck)?$/ },
  { decision: 'abort', words: /^(b|abort)$/ },
] as const;

/** @returns undefined where the input has ended: nothing was said */
async function withNote(
  decision: GateWord['decision'],
  read: ReadLine,
): Promise<GateWord | undefined> {
  const note = await read('a note, if you like: ');
  if (note === undefined) return undefined;
  return { decision, ...(isSaid(note) && { note }) };
}

/** Arrow keys, too, are read as text here: by themselves they say nothing. */
function isSaid(note: string): boolean {
  return oneLine(note) !== '';
}

/** What is to be mended, and where. @returns undefined where that was not said */
async function rejection(
  { waysBack, attempts }: GateFacts,
  read: ReadLine,
): Promise<GateWord | undefined> {
  const note = await read('what is to be mended: ');
  if (note === undefined || !isSaid(note)) return undefined;
  const word = { decision: 'reject', note } as const;
  if (waysBack.length === 1) return word;
  const asked = (await read(`back to ${waysBack.join(', ')} [${waysBack.at(-1)}]: `))?.trim();
  if (asked === '') return word;
  const labels = attempts.map(attemptLabel); // `1 plan`: where it goes back to, it has been
  const goto = waysBack.find((name) => name === asked || labels.includes(`${asked} ${name}`));
  return goto === undefined ? undefined : { ...word, goto };
}
