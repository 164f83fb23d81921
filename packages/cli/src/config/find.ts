import { existsSync } from 'node:fs';
import path from 'node:path';
import { DevflowError, type Hooks } from '@devflow/core';
import { cosmiconfig } from 'cosmiconfig';
import { importCode } from './code.js';
import { splitHooks } from './hooks.js';
import { loadJson } from './json.js';
import { SEARCH_PLACES, isCode, searchDirectories } from './places.js';
import { reasonOf } from './reason.js';

/** A configuration as it stands in its file: nothing of the data is looked at. */
export interface FoundFile {
  readonly file: string;
  readonly data: unknown;
  readonly hooks: Hooks;
}

/** @throws DevflowError CONFIG_INVALID where it cannot be read, with the place; where there are two in a directory */
export async function loadFile(cwd: string): Promise<FoundFile | undefined> {
  const explorer = createExplorer(cwd);
  for (const directory of searchDirectories(cwd)) {
    const found = await explorer.search(directory).catch((error: unknown) => {
      throw unreadable(error, directory);
    });
    if (found === null) continue;
    await refuseSecond(directory, found.filepath, explorer);
    const where =
      path.basename(found.filepath) === 'package.json'
        ? `${found.filepath} #devflow`
        : found.filepath;
    return { file: found.filepath, ...splitHooks(found.config, where, isCode(found.filepath)) };
  }
  return undefined;
}

type Explorer = ReturnType<typeof cosmiconfig>;

function createExplorer(cwd: string): Explorer {
  const loadCode = (file: string) => importCode(file, { default: true });
  const code = Object.fromEntries(
    ['.ts', '.mts', '.js', '.mjs', '.cjs'].map((kind) => [kind, loadCode] as const),
  );
  try {
    return cosmiconfig('devflow', {
      searchPlaces: SEARCH_PLACES,
      searchStrategy: 'none',
      loaders: { ...code, '.json': loadJson },
      ignoreEmptySearchPlaces: false, // an empty configuration is a mistake, not a reason to look elsewhere
    });
  } catch (error) {
    // It has read the package.json of the current directory by its own loader, for settings of its own.
    throw unreadable(error, cwd);
  }
}

/** Which of two counts depends on an order that nobody knows by heart, and changes to the other are lost in silence. */
async function refuseSecond(directory: string, file: string, explorer: Explorer): Promise<void> {
  const others = SEARCH_PLACES.map((name) => path.join(directory, name)).filter(
    (other) => other !== file && existsSync(other),
  );
  const counting: string[] = [];
  for (const other of others) {
    // A package.json counts only if it speaks of devflow; a broken one is none of our business here.
    if (path.basename(other) !== 'package.json') counting.push(other);
    else if ((await explorer.load(other).catch(() => null))?.config !== undefined)
      counting.push(other);
  }
  if (counting.length === 0) return;
  throw new DevflowError('CONFIG_INVALID', `${directory} has more than one configuration`, {
    problems: [file, ...counting],
    hint: 'Keep one of them: which one counts must be plain to see.',
  });
}

function unreadable(error: unknown, directory: string): DevflowError {
  const { file, reason } = reasonOf(error, directory);
  return new DevflowError('CONFIG_INVALID', `${file} cannot be read: ${reason}`, {
    cause: error,
    hint: 'Correct it there; devflow does not go on without a configuration that is in place.',
  });
}
