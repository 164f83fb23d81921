// Packs every package as it would be published, installs the tarballs into an empty project, and imports
// every entry from plain JavaScript and from TypeScript.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(path.join(os.tmpdir(), 'devflow-packages-'));

try {
  const packages = readdirSync(path.join(root, 'packages')).map((name) =>
    path.join(root, 'packages', name),
  );
  const entries = packages.flatMap(entriesOf);
  const tarballs = packages.map(pack);
  write('package.json', JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  run('npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs);
  importFromJavaScript(entries);
  importFromTypeScript(entries);
  console.log(run(path.join(directory, 'node_modules/.bin/devflow'), '--version').trim());
  console.log(
    `${tarballs.length} packages install into an empty project; ${entries.length} entries import from JavaScript and TypeScript`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function entriesOf(packageDirectory) {
  const { name, exports } = JSON.parse(
    readFileSync(path.join(packageDirectory, 'package.json'), 'utf8'),
  );
  return Object.keys(exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => name + entry.slice(1));
}

function pack(packageDirectory) {
  const output = execFileSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory],
    {
      cwd: packageDirectory,
      encoding: 'utf8',
    },
  );
  return path.join(directory, output.trim());
}

function importFromJavaScript(entries) {
  const lines = entries.map(
    (entry) =>
      `if (Object.keys(await import('${entry}')).length === 0) throw new Error('${entry} is empty');`,
  );
  write('all.js', lines.join('\n'));
  run(process.execPath, 'all.js');
}

function importFromTypeScript(entries) {
  const lines = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  write(
    'all.ts',
    `${lines.join('\n')}\nexport const all: object[] = [${entries.map((_, index) => `entry${index}`).join(', ')}];\n`,
  );
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  const types = path.join(root, 'node_modules/@types');
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--types',
    'node',
    '--typeRoots',
    types,
  ];
  run(tsc, ...options, '--module', 'nodenext', 'all.ts');
}

function write(name, content) {
  writeFileSync(path.join(directory, name), content);
}

function run(program, ...args) {
  return execFileSync(program, args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
