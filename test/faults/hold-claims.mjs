// Loaded before devflow: the wrapper of an attempt stands still before its first word, so that devflow can be killed
// between the launch and the claim. `DEVFLOW_TEST_WRAPPERS` is the file that names those that stand.
import childProcess from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { spawn } = childProcess;
childProcess.spawn = (program, args, options) => {
  if (args?.[2] !== 'devflow-attempt') return spawn(program, args, options);
  const child = spawn(program, ['-c', 'kill -STOP $$; exec "$0" "$@"', program, ...args], options);
  appendFileSync(process.env.DEVFLOW_TEST_WRAPPERS, `${child.pid}\n`);
  return child;
};
syncBuiltinESMExports();
