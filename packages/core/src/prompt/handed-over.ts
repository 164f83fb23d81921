import { statSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent } from '../adapter/index.js';
import type { RunContext } from '../context.js';
import { type AttemptEvents, digest, truncate } from './digest.js';
import { fenced } from './fenced.js';
import { tryGit } from '../git/git.js';
import type { HandedOver } from './hand-over.js';
import { readTail } from '../process/read-tail.js';
import { isShortage } from '../process/system-error.js';
import type { Attempt } from '../state/fold.js';
import { lastEnded } from '../state/selectors.js';
import { templateNames } from '../workflow/template.js';
import type { Phase } from '../workflow/workflow.js';

type Context = Pick<RunContext, 'definition' | 'log' | 'repository' | 'env'>;

/** What the prompt of a phase asks for that others left in files, by the name of the phase that left it. Says of each what could not be read. */
export async function handedOver(
  context: Context,
  { prompt }: Pick<Phase, 'prompt'>,
): Promise<ReadonlyMap<string, HandedOver>> {
  const asked = new Set(templateNames(prompt));
  const all = new Map<string, HandedOver>();
  for (const phase of context.definition.workflow.phases) {
    const found: HandedOver = {
      ...(asked.has(`phases.${phase.name}.artifacts`) && {
        artifacts: await artifactsOf(context, phase),
      }),
      ...(asked.has(`phases.${phase.name}.events`) && { events: eventsOf(context, phase) }),
    };
    all.set(phase.name, found);
  }
  return all;
}

/** Files that are larger are not read, in bytes. */
const FILE_READ = 1_000_000;
/** How much of a file is shown, and of all of them together, in characters. */
const FILE_SHOWN = 40_000;
const FILES_SHOWN = 120_000;

/** The files that a phase hands over, each as it was committed when the phase ended last. */
async function artifactsOf(context: Context, { id, name, handOver }: Phase): Promise<string> {
  const ended = lastEnded(context.log.state, id);
  if (ended === undefined) return '';
  const files = handOver?.artifacts ?? [];
  if (ended.head === undefined)
    return `(which commit phase ${name} ended with is not known, so its files cannot be shown)`;
  const parts: string[] = [];
  let room = FILES_SHOWN;
  for (const file of files) {
    const content = await committed(context, ended.head, file);
    const shown =
      'text' in content
        ? fenced(truncate(content.text, Math.min(room, FILE_SHOWN)))
        : `(${content.missing})`;
    room = Math.max(0, room - shown.length);
    parts.push(`${file}:\n\n${shown}`);
  }
  return parts.join('\n\n');
}

async function committed(
  { repository, env }: Context,
  commit: string,
  file: string,
): Promise<{ readonly text: string } | { readonly missing: string }> {
  const { root } = repository;
  const tree = ['ls-tree', '-z', '-l', '--full-tree', commit, '--', file];
  const listed = await tryGit(root, tree, env);
  if (listed.status !== 0) return { missing: `cannot be read: ${listed.stderr}` };
  const [, mode = '', object = '', size = ''] =
    /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t/.exec(listed.stdout) ?? [];
  if (mode === '') return { missing: `not in the commit ${commit.slice(0, 10)}` };
  if (!mode.startsWith('100')) return { missing: 'no regular file' };
  if (Number(size) > FILE_READ) return { missing: `too large to be shown: ${size} bytes` };
  const read = await tryGit(root, ['cat-file', 'blob', object], env);
  if (read.status !== 0) return { missing: `cannot be read: ${read.stderr}` };
  if (read.stdout.includes('\0')) return { missing: `no text: ${size} bytes` };
  return { text: read.stdout.trimEnd() };
}

function eventsOf({ log }: Context, { id, handOver = {} }: Phase): string {
  const hasEnded = ({ ended }: Attempt) => ended !== undefined;
  const visit = log.state.visits.findLast(
    ({ phase, attempts }) => phase === id && attempts.some(hasEnded),
  );
  const attempts = visit?.attempts.filter(hasEnded).map(readEvents) ?? [];
  return attempts.length === 0 ? '' : digest(attempts, handOver);
}

/** How much of the end of an attempt's events is read, in bytes. */
const EVENTS_READ = 4_000_000;

function readEvents({ attempt, directory, ended }: Attempt): AttemptEvents {
  const file = path.join(directory, 'events.jsonl');
  const outcome = ended?.outcome ?? '';
  try {
    const lines = readTail(file, EVENTS_READ)
      .split('\n')
      .filter((line) => line !== '');
    const events = lines.flatMap((line) => readEvent(line) ?? []);
    const broken = lines.length - events.length;
    const missing = [
      ...(statSync(file).size > EVENTS_READ ? ['the first events are too many to be read'] : []),
      ...(broken > 0 ? [`${broken} of its events cannot be read`] : []),
    ];
    return { attempt, outcome, events, missing };
  } catch (error) {
    if (isShortage(error)) throw error;
    const missing = [
      `the events of attempt ${attempt} cannot be read: ${(error as Error).message}`,
    ];
    return { attempt, outcome, events: [], missing };
  }
}

/** An agent that can write there may have written anything. */
function readEvent(line: string): AgentEvent | undefined {
  try {
    const event = JSON.parse(line) as Partial<Record<keyof AgentEvent, unknown>> | null;
    const isText = (value: unknown) => typeof value === 'string';
    if (!isText(event?.kind) || !isText(event?.name)) return undefined;
    const texts = [event?.summary, event?.file, event?.cmd, event?.detail, event?.text];
    const fits = texts.every((value) => value === undefined || isText(value));
    return fits ? (event as AgentEvent) : undefined; // all that a digest looks at
  } catch {
    return undefined;
  }
}
