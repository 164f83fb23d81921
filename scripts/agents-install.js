// Installs the agent CLIs that the tests are checked with, each in the version that agents.json pins,
// into a cache: `npm run agents:install [name…]`. Prints the path of each binary.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Where the native binary of each agent lies. The `.bin` entry is a stub until an install script has
 * run, and no install script is run here.
 * @type {Readonly<Record<string, (platform: string) => string>>}
 */
const BINARIES = {
  claude: (platform) => {
    const name = platform.startsWith('win32') ? 'claude.exe' : 'claude';
    return `@anthropic-ai/claude-code-${platform}/${name}`;
  },
  codex: (platform) => {
    const plain = platform.replace('-musl', ''); // one static binary for both
    const triples = {
      'linux-x64': 'x86_64-unknown-linux-musl',
      'linux-arm64': 'aarch64-unknown-linux-musl',
      'darwin-x64': 'x86_64-apple-darwin',
      'darwin-arm64': 'aarch64-apple-darwin',
    };
    const triple = /** @type {Record<string, string>} */ (triples)[plain] ?? plain;
    return `@openai/codex-${plain}/vendor/${triple}/bin/codex`;
  },
  opencode: (platform) => `opencode-${platform}/bin/opencode`,
};

/**
 * The path of the binary of an agent in its pinned version, or undefined where it is not installed.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined}
 */
export function installedAgent(name, env = process.env) {
  return binaryIn(directoryOf(name, pinned(name).version, env), name);
}

/**
 * Installs an agent in its pinned version unless it is there already, and gives the path of its binary.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 */
export function installAgent(name, env = process.env) {
  return install(name, pinned(name).version, env);
}

/**
 * The same for any other version, or a tag such as `latest`.
 * @param {string} name
 * @param {string} wanted
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ version: string, binary: string }}
 */
export function installVersion(name, wanted, env = process.env) {
  const asked = `${pinned(name).package}@${wanted}`;
  const found = execFileSync('npm', ['view', asked, 'version', '--json'], {
    env,
    encoding: 'utf8',
  });
  /** @type {string | string[]} of a range: every version in it, the last one the newest */
  const versions = JSON.parse(found);
  const version = Array.isArray(versions) ? versions.at(-1) : versions;
  if (version === undefined) throw new Error(`there is no ${asked}`);
  return { version, binary: install(name, version, env) };
}

/**
 * @param {string} name
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 * @returns {string}
 */
function install(name, version, env) {
  const directory = directoryOf(name, version, env);
  const there = binaryIn(directory, name);
  if (there !== undefined) return there;
  const { package: packageName } = pinned(name);
  mkdirSync(path.dirname(directory), { recursive: true });
  // Beside the target, so that the rename is atomic: nobody ever sees half an installation.
  const temporary = mkdtempSync(`${directory}.`);
  try {
    const flags = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    const args = ['install', '--prefix', temporary, ...flags, `${packageName}@${version}`];
    execFileSync('npm', args, { stdio: ['ignore', 2, 2], cwd: temporary, env });
    rmSync(directory, { recursive: true, force: true });
    renameSync(temporary, directory);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  const installed = binaryIn(directory, name);
  if (installed === undefined) {
    throw new Error(`${packageName}@${version} brings no ${binaryOf(name)} for this platform`);
  }
  return installed;
}

/**
 * @param {string} name
 * @returns {{ package: string, version: string }}
 */
function pinned(name) {
  const agents = JSON.parse(readFileSync(path.join(ROOT, 'scripts', 'agents.json'), 'utf8'));
  if (agents[name] === undefined) {
    throw new Error(`unknown agent "${name}"; known: ${Object.keys(agents).join(', ')}`);
  }
  return agents[name];
}

/**
 * @param {string} name
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 */
function directoryOf(name, version, env) {
  const cache = env['DEVFLOW_AGENTS_DIR'] ?? path.join(ROOT, '.cache', 'agents');
  return path.join(cache, `${name}-${version}`);
}

/**
 * @param {string} directory
 * @param {string} name
 */
function binaryIn(directory, name) {
  const binary = path.join(directory, 'node_modules', binaryOf(name));
  return existsSync(binary) ? binary : undefined;
}

/** @param {string} name */
function binaryOf(name) {
  const binary = BINARIES[name];
  if (binary === undefined) throw new Error(`where the binary of ${name} lies is unknown`);
  return binary(`${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`);
}

function isMusl() {
  if (process.platform !== 'linux') return false;
  /** @type {{ header?: { glibcVersionRuntime?: string } }} */
  const report = process.report.getReport();
  return report.header?.glibcVersionRuntime === undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  for (const name of names.length > 0 ? names : Object.keys(BINARIES)) {
    process.stdout.write(`${installAgent(name)}\n`);
  }
}
