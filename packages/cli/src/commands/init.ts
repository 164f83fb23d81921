import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DevflowError } from '@devflow/core';
import { loadFile } from '../config/find.js';
import { SEARCH_PLACES } from '../config/places.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { placeOf } from '../place.js';
import type { Terminal } from '../terminal.js';
import { builtInWorkflow } from '../config/workflow.js';
import { CONFIG_FILE, configTemplate, promptFile } from '../config/template.js';

export interface InitFlags {
  readonly workflow?: string;
  readonly cwd?: string;
}

/** @throws DevflowError OPTION_INVALID where there is no such workflow; FILE_EXISTS naming every file that is there already; then nothing is written */
export async function init(flags: InitFlags, terminal: Terminal): Promise<ExitCode> {
  const { cwd } = placeOf(flags);
  const workflow = builtInWorkflow(flags.workflow ?? 'standard');
  const files = {
    [CONFIG_FILE]: configTemplate(workflow),
    ...Object.fromEntries(
      workflow.phases.map(({ name, prompt = '' }) => [promptFile(name), `${prompt}\n`]),
    ),
  };
  const names = [...SEARCH_PLACES.filter((name) => name !== 'package.json'), ...Object.keys(files)];
  const taken = [...new Set(names)].filter((name) => existsSync(path.join(cwd, name)));
  // Also of another kind: a second configuration would only be refused later.
  if (taken.length === 0 && (await hasOwnConfiguration(cwd))) taken.push('package.json (devflow)');
  if (taken.length > 0) {
    throw new DevflowError('FILE_EXISTS', `nothing is written: in ${cwd} there is already`, {
      problems: taken,
    });
  }
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { flag: 'wx' });
    terminal.out(`wrote ${name}\n`);
  }
  terminal.out('Next: `devflow doctor`, then `devflow run "…" --dry-run`.\n');
  return EXIT.completed;
}

async function hasOwnConfiguration(cwd: string): Promise<boolean> {
  const found = await loadFile(cwd);
  return found !== undefined && path.dirname(found.file) === cwd;
}
