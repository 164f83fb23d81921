import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Rig } from './rig.js';

const more =
  'cat >/dev/null; git commit -q --allow-empty -m x; echo x >>more.txt; git add more.txt; git commit -qm More; ';
export const again = `${more} echo 'DEVFLOW_RESULT: {"status":"success","summary":"more"}'`;

export const where = ({ repository }: Rig) => ({ cwd: repository.root, env: repository.env });
export const promptOf = (used: Rig, phase: string, attempt: number) =>
  readFileSync(path.join(used.attempt('test', phase, attempt), 'prompt.md'), 'utf8');
export const goOn = (used: Rig) => used.resume('test', { due: true });
export const stateOf = (used: Rig) => path.join(used.repository.root, '.git/devflow/runs/test');
export const inboxOf = (used: Rig) => path.join(stateOf(used), 'inbox');
export const decisions = (used: Rig) =>
  used
    .journal('test')
    .filter(({ type }) => type === 'gate-decided')
    .map(({ decision, by }) => `${String(decision)} by ${String(by)}`);
export const gone = (signal: AbortSignal) =>
  new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
