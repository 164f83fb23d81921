import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';
import { EFFECTS } from '../src/process/effect.js';

/** Calls that change files or processes. */
const CHANGING = new Set([
  'appendFileSync', 'chmodSync', 'copyFileSync', 'cpSync', 'execa', 'fetch', 'fork', 'ftruncateSync', 'linkSync',
  'mkdirSync', 'mkdtempSync', 'renameSync', 'rmSync', 'rmdirSync', 'spawn', 'symlinkSync', 'truncateSync',
  'unlinkSync', 'utimesSync', 'writeFileSync', 'writeSync',
]); // prettier-ignore

/** Functions that change something on behalf of whoever calls them: those must name the effect. */
const ON_BEHALF = new Set([
  'appendWhole', 'capture', 'endTree', 'giveBackRights', 'giveUpClaim', 'keepCopy', 'killCgroup', 'linkIfFree', 'makeCgroup',
  'makeDirectory', 'makeWithin', 'markUnwatched', 'moveAside', 'openEventLog', 'openRunEvents', 'openWhole', 'ownWords', 'removeCgroup',
  'removeEmptyCgroup', 'removeIfEmpty', 'removeStrays', 'removeWithRights', 'restoreSettings', 'runCommand', 'startWrapper', 'take', 'takeOver',
  'writeCommand', 'writeDurably',
]); // prettier-ignore

/** git commands that change something, by their first word, or their first two. */
const CHANGING_GIT =
  /^(?:worktree (?!list)|read-tree|reset|update-ref|commit-tree|write-tree|branch|commit|add)/;

/**
 * What runs programs without a run: a conformance suite's own, and git's calls, which are looked at by their words;
 * and what is within `salvage.write`, `protected.compare` and `checks.overlay`: objects that nothing names yet, and a
 * directory of its own. And the empty directory in which changes are shown, and the index by which it is asked what is
 * committed: nothing goes by them.
 */
const NOT_OF_A_RUN = new Set([
  'process/watched.ts',
  'git/diff.ts',
  'git/from-head.ts',
  'git/git.ts',
  'git/look.ts',
  'git/missing-worktree.ts',
  'git/plumbing.ts',
  'git/scratch.ts',
  'git/snapshot.ts',
  'git/untracked.ts',
]);

const source = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /(?<!\.test)\.ts$/.test(name) && !/^(?:testing|adapter|command)\//.test(name),
);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** What a walk through the syntax has passed on its way down. */
interface Above {
  readonly named: boolean;
  readonly within: string | undefined;
}

interface Found {
  readonly unnamed: string[];
  readonly named: Set<string>;
}

function look(file: string, text: string): Found {
  const found: Found = { unnamed: [], named: new Set() };
  const visit = (node: Node, above: Above) => {
    const here = pass(node, above, text, found);
    if (isChange(node, text) && !here.named && !ON_BEHALF.has(here.within ?? ''))
      found.unnamed.push(`${file}:${text.slice(0, node.start).split('\n').length}`);
    for (const inner of children(node)) visit(inner, here);
  };
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, { named: false, within: undefined });
  return found;
}

function pass(node: Node, above: Above, text: string, { named }: Found): Above {
  if (node.type === 'FunctionDeclaration')
    return { named: false, within: (node['id'] as { name?: string } | null)?.name };
  if (calls(node) !== 'effect') return above;
  const [name] = node['arguments'] as [{ value?: string; start: number; end: number }];
  named.add(name.value ?? text.slice(name.start, name.end));
  return { ...above, named: true };
}

function isChange(node: Node, text: string): boolean {
  const called = calls(node);
  if (called !== undefined && (CHANGING.has(called) || ON_BEHALF.has(called))) return true;
  if (called !== 'git' && called !== 'tryGit') return false;
  const [, words] = node['arguments'] as [Node, Node?];
  if (words?.type !== 'ArrayExpression') return namesChange(words, text);
  return CHANGING_GIT.test(literals(words).join(' '));
}

/** A list of words that was given a name before. */
function namesChange(words: Node | undefined, text: string): boolean {
  const name = words?.['name'];
  if (typeof name !== 'string') return false;
  const list = new RegExp(String.raw`const ${name} = (\[[^\]]*\])`).exec(text)?.[1];
  if (list === undefined) return false;
  return CHANGING_GIT.test([...list.matchAll(/'([^']*)'/g)].map(([, word]) => word).join(' '));
}

/** A name as it stands in the source; one that is put together, as `${of}.lock`, stands for several. */
function asForm(name: string): RegExp {
  const parts = name.replaceAll('`', '').split(/\$\{[^}]*\}/);
  return new RegExp(`^${parts.map((part) => part.replaceAll('.', String.raw`\.`)).join('.*')}$`);
}

function literals({ elements }: Node): unknown[] {
  return (elements as { value?: unknown }[]).map(({ value }) => value);
}

function calls(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  return (node['callee'] as { name?: string }).name;
}

function children(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter(
      (value): value is Node => typeof value === 'object' && value !== null && 'type' in value,
    );
}

describe('what devflow changes outside itself', () => {
  const looked = files
    .filter((file) => !NOT_OF_A_RUN.has(file))
    .map((file) => look(file, readFileSync(path.join(source, file), 'utf8')));

  it('has a name, everywhere', () => {
    expect(looked.flatMap(({ unnamed }) => unnamed)).toEqual([]);
  });

  it('is what the names stand for: none is there for nothing', () => {
    const used = new Set(looked.flatMap(({ named }) => [...named]));
    const forms = [...used].map(asForm);
    expect(EFFECTS.filter((name) => !forms.some((form) => form.test(name)))).toEqual([]);
  });

  it.each([
    ["rmSync('x');", 1],
    ["fetch('x');", 1],
    ["effect('run.remove', () => rmSync('x'));", 0],
    ["function take() { linkSync('a', 'b'); }", 0],
    ["function other() { effect('run.lock', () => take()); take(); }", 1],
    ["git(root, ['worktree', 'list'], env);", 0],
    ["git(root, ['worktree', 'add', 'x'], env);", 1],
    ["const drop = ['update-ref', '-d']; tryGit(root, drop, env);", 1],
  ])('is seen in %s', (text, count) => {
    expect(look('x.ts', text).unnamed).toHaveLength(count);
  });
});
