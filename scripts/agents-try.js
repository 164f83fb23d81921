// Tries another version of an agent: `npm run agents:try claude@latest`. Runs the tests of that agent with the
// pinned version and with the other one, and prints which cases changed. Changes no pin.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAgent, installVersion } from './agents-install.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @param {string | undefined} asked `claude@latest` */
function tryAgent(asked = '') {
  const [name = '', version = 'latest'] = asked.split('@');
  const pinned = installAgent(name);
  const other = installVersion(name, version);
  const before = runCases(name, pinned);
  const after = runCases(name, other.binary);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (title) => before.get(title) !== after.get(title),
  );
  const lines = changed.map(
    (title) => `${before.get(title) ?? 'absent'} → ${after.get(title) ?? 'absent'}  ${title}`,
  );
  process.stdout.write(
    `\n${name} ${other.version}: ${after.size} cases, ${changed.length} changed\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
  return changed.length === 0 ? 0 : 1;
}

/**
 * @param {string} name
 * @param {string} binary
 * @returns {Map<string, string>} the status of each case
 */
function runCases(name, binary) {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-try-'));
  const file = path.join(directory, 'results.json');
  try {
    const args = ['vitest', 'run', '--config', 'vitest.agents.config.ts', `test/agents/${name}`];
    spawnSync(
      'npx',
      [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      {
        cwd: ROOT,
        stdio: ['ignore', 2, 2],
        env: { ...process.env, [`DEVFLOW_TRY_${name.toUpperCase()}`]: binary },
      },
    );
    /** @type {{ testResults: { assertionResults: { fullName: string, status: string }[] }[] }} */
    const results = JSON.parse(readFileSync(file, 'utf8'));
    return new Map(
      results.testResults.flatMap(({ assertionResults }) =>
        assertionResults.map(({ fullName, status }) => [fullName, status]),
      ),
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

process.exitCode = tryAgent(process.argv[2]);
