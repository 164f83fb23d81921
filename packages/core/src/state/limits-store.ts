import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Breaker } from '../limit/breaker.js';
import { effect } from '../process/effect.js';
import { makeDirectory, readIfThere, writeDurably } from './files.js';

/** What is known of the limits of accounts: one file each, for all runs of this user on this machine. It holds no secret. */
function limitsDirectory(stateDir: string): string {
  return path.join(stateDir, 'limits');
}

/** What a file says, or why it says nothing. */
export type StoredLimit = { readonly breaker: Breaker } | { readonly unreadable: string };

const instant = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'no instant');
const schema = z.looseObject({
  v: z.literal(1),
  adapter: z.string(),
  account: z.string(),
  agent: z.string(),
  model: z.string().optional(),
  failures: z.int().min(1),
  openedAt: instant,
  until: instant,
  resetsAt: z.string().optional(),
  run: z.string(),
  repository: z.string(),
});

/** Undefined where nothing is known of that account. */
export function readLimit(stateDir: string, key: string): StoredLimit | undefined {
  const file = fileOf(stateDir, key);
  try {
    const content = readIfThere(file);
    if (content === undefined) return undefined;
    const { success, data, error } = schema.safeParse(JSON.parse(content));
    if (success) return { breaker: data as Breaker }; // by the schema
    const [issue] = error.issues;
    return { unreadable: `${file}: "${issue?.path.join('.')}": ${issue?.message}` };
  } catch (error) {
    return { unreadable: `${file}: ${(error as Error).message}` };
  }
}

/** @throws what the file system says, or DevflowError STATE_UNWRITABLE */
export function writeLimit(stateDir: string, key: string, breaker: Breaker): void {
  effect('limit.write', () => {
    makeDirectory(limitsDirectory(stateDir));
    writeDurably(fileOf(stateDir, key), `${JSON.stringify(breaker, undefined, 2)}\n`);
  });
}

/** @throws what the file system says */
export function removeLimit(stateDir: string, key: string): void {
  effect('limit.remove', () => rmSync(fileOf(stateDir, key), { force: true }));
}

/** The keys of all accounts of which something is known. */
export function limitKeys(stateDir: string): string[] {
  return names(limitsDirectory(stateDir)).flatMap(
    (name) => /^([0-9a-f]+)\.json$/.exec(name)?.[1] ?? [],
  );
}

/** Removes what a write that was cut off has left. */
export function removeTornLimits(stateDir: string): void {
  const directory = limitsDirectory(stateDir);
  for (const name of names(directory).filter((each) => each.endsWith('.tmp')))
    effect('limit.remove', () => rmSync(path.join(directory, name), { force: true }));
}

function fileOf(stateDir: string, key: string): string {
  return path.join(limitsDirectory(stateDir), `${key}.json`);
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // no limit was ever met
    throw error;
  }
}
