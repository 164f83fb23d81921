// Loaded before devflow (`node --import`), also where that starts itself: notes each effect, and kills the process at the one that is asked for,
// by its name (`before worktree.add #1`) or by how many points there are up to it (`17`).
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, writeFileSync } from 'node:fs';

const {
  DEVFLOW_TEST_TRACE: trace,
  DEVFLOW_TEST_KILL: kill,
  DEVFLOW_TEST_KILLED: killed,
} = process.env;
const seen = new Map();
let all = 0;

subscribe('devflow:effect', ({ effect, when }) => {
  const point = `${when} ${effect}`;
  const count = (seen.get(point) ?? 0) + 1;
  seen.set(point, count);
  all += 1;
  const name = `${point} #${count}`;
  if (trace !== undefined) appendFileSync(trace, `${name}\n`);
  if (name !== kill && String(all) !== kill) return;
  writeFileSync(killed, name);
  process.kill(process.pid, 'SIGKILL');
});
