import { confirm } from '@devflow/core/directory';
import { type Candidate } from '../adapters/candidate.js';
import { findAdapter } from '../adapters/find.js';
import { type ListedAdapter, listAdapters } from '../adapters/list.js';
import { unknownAdapter } from '../adapters/unknown.js';
import { configurationDirectory } from '../config/places.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Place, placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { block, oneLine, wrap } from '../text/style.js';

export interface AdaptersFlags {
  readonly accept?: readonly string[];
  readonly json?: true;
  readonly cwd?: string;
}

/** Confirms what is named, or lists what is there. */
export async function adapters(flags: AdaptersFlags, terminal: Terminal): Promise<ExitCode> {
  const place = placeOf(flags);
  if (flags.accept !== undefined) {
    const accepted = await accept(flags.accept, place);
    if (flags.json === true) terminal.out(`${JSON.stringify(accepted, undefined, 2)}\n`);
    else terminal.out(accepted.map((each) => `${acceptedText(each)}\n`).join(''));
    return EXIT.completed;
  }
  const listed = await listAdapters(place);
  terminal.out(
    flags.json === true ? `${JSON.stringify(listed, undefined, 2)}\n` : text(listed, terminal),
  );
  return EXIT.completed;
}

interface Accepted {
  readonly name: string;
  readonly path?: string;
  /** Undefined where there is nothing to confirm: it is no local code. */
  readonly hash?: string;
}

/** All or none. @throws DevflowError ADAPTER_UNKNOWN, ADAPTER_INVALID */
async function accept(names: readonly string[], { cwd, env }: Place): Promise<Accepted[]> {
  const base = configurationDirectory(cwd);
  const found = await Promise.all(
    names.map(async (name) => ({ name, candidate: await findAdapter(name, base, env) })),
  );
  const unknown = found.filter(({ candidate }) => candidate === undefined);
  if (unknown.length > 0)
    throw await unknownAdapter(
      unknown.map(({ name }) => name),
      base,
      base,
    );
  const candidates = found.flatMap(({ candidate }): Candidate[] =>
    candidate === undefined ? [] : [candidate],
  );
  const sources = await Promise.all(candidates.map(async (each) => each.source()));
  return candidates.map(({ name }, index) => {
    const source = sources[index];
    if (source === undefined) return { name };
    confirm(source, env);
    return { name, path: source.path, hash: source.hash };
  });
}

function acceptedText({ name, path, hash }: Accepted): string {
  return hash === undefined
    ? `${oneLine(name)} needs no confirmation: it is an installed package, or part of devflow`
    : `confirmed ${oneLine(name)}: ${oneLine(path ?? '')} (sha256 ${hash.slice(0, 12)}…), until it changes`;
}

function text(listed: readonly ListedAdapter[], { style, width }: Terminal): string {
  const entries = listed.map((adapter) => {
    const { name, origin, version, path, program, capabilities, problems, notes } = adapter;
    const wrapped = (words: string) => `  ${wrap(words, width, '    ')}`;
    const shown = path ?? program;
    const lines = [
      `${style.bold(oneLine(name))}  ${oneLine([origin, version, stateOf(adapter)].filter((part) => part !== undefined).join(', '))}`,
      ...(shown === undefined ? [] : [`  ${oneLine(shown)}`]), // not wrapped: it can be copied
      ...(capabilities.length === 0 ? [] : [style.dim(wrapped(capabilities.join(', ')))]),
      ...problems.flatMap(({ message, hint }) => [
        style.red(`  ${block(message, width, '  ')}`),
        `  → ${block(hint, width, '    ')}`,
      ]),
      ...notes.map((note) => wrapped(`note: ${oneLine(note)}`)),
    ];
    return lines.join('\n');
  });
  return `${entries.join('\n')}\n`;
}

function stateOf({ confirmed, problems }: ListedAdapter): string | undefined {
  if (confirmed === false) return 'not confirmed';
  if (problems.length > 0) return 'not ready';
  return confirmed === true ? 'confirmed' : undefined;
}
