import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from './agents.js';
import type { RunContext } from './context.js';
import { type Launched, SETTINGS_COPY, start } from './launch.js';
import { leftoverProcesses } from './leftover-processes.js';
import { effect } from './process/effect.js';
import type { ProcessIdentity } from './process/identity.js';
import { isIrregular } from './process/own-file.js';
import { endTree, findTree, processTree } from './process/tree.js';
import { giveUpClaim, readClaim, wasClaimed, wasNotStarted } from './process/wrapper.js';
import { readIfThere } from './state/files.js';
import type { Attempt } from './state/fold.js';
import type { Phase } from './workflow/workflow.js';

/** What is read of an attempt that is taken up. */
const KEPT = [
  'prompt.md',
  'stdout.log',
  'stderr.log',
  'claim',
  'exit',
  'ended-by',
  'unwatched',
  SETTINGS_COPY,
  `${SETTINGS_COPY}.changed`,
];

/** Takes up an attempt that another devflow began. Nobody has its claim: it is started now; whoever makes the claim wins. */
export async function adopt(
  context: RunContext,
  phase: Phase,
  agent: Agent,
  attempt: Attempt,
): Promise<Launched> {
  const { directory, cwd } = attempt;
  const irregular = KEPT.map((name) => path.join(directory, name)).find(isIrregular);
  if (irregular !== undefined) return damaged(context, attempt, `${irregular} is no regular file`);
  if (wasNotStarted(directory)) effect('attempt.end', () => giveUpClaim(directory));
  const prompt = readIfThere(path.join(directory, 'prompt.md'));
  const claim = readClaim(directory);
  const isNew = claim === undefined && prompt !== undefined && !(await wasLaunched(attempt));
  if (isNew && existsSync(cwd)) return start(context, phase, agent, attempt, prompt);
  const files = ['prompt.md', 'stdout.log', 'stderr.log'].map((name) => path.join(directory, name));
  const missing = isNew ? cwd : files.find((file) => !existsSync(file));
  if (missing !== undefined) return damaged(context, attempt, `${missing} was removed`);
  return { attempt, prompt: prompt ?? '', process: ownerOf(attempt) };
}

/** It is not launched again, and what it left says nothing. */
function damaged(context: RunContext, attempt: Attempt, damage: string): Launched {
  context.emit({ type: 'note', text: `${damage}: what the attempt said is not known` });
  return { attempt, prompt: '', process: ownerOf(attempt), damage };
}

/** A wrapper that was just started may have made its claim by now. */
function ownerOf({ directory }: Attempt): ProcessIdentity | undefined {
  const claim = readClaim(directory);
  return claim === 'lost' ? undefined : claim;
}

/** How long a wrapper may take from its start to its claim. */
const CLAIM_MS = 5_000;

/**
 * Nobody has its claim now; but its command ran, if anything shows that. What an agent leaves in its last moments is
 * there once it is gone: the signs are looked for after the processes. What lives without a claim is given as long as a
 * wrapper may take to make one, or to come to its end where it was removed; then it is ended: a wrapper that stands
 * still would launch the attempt once more.
 */
async function wasLaunched({ directory, token }: Attempt): Promise<boolean> {
  const tree = processTree(undefined, token);
  const since = performance.now();
  for (;;) {
    const lives = findTree(tree).length > 0;
    if (!lives || readClaim(directory) !== undefined) return wasClaimed(directory);
    if (performance.now() - since > CLAIM_MS) break;
    await delay(10);
  }
  const { left } = await effect('attempt.end', () => endTree(tree, { graceMs: 0 }));
  if (left.length > 0) throw leftoverProcesses('the attempt', left);
  return wasClaimed(directory);
}
