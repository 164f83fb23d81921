import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DevflowError } from '@devflow/core/errors';

/** Puts the run into a hint that speaks of `<run>`, so that it can be copied. Where it is not known, the message may name it. */
export function nameRun(error: unknown, runId?: string): unknown {
  if (!(error instanceof DevflowError) || !error.hint.includes('<run>')) return error;
  const run = runId ?? /\brun "([^"]+)"/.exec(error.message)?.[1];
  return run === undefined ? error : withHint(error, error.hint.replaceAll('<run>', run));
}

/** Puts the command into a hint that speaks of `devflow <command>`. @param name as it is typed; empty where none is known */
export function nameCommand(error: unknown, name: string): unknown {
  if (!(error instanceof DevflowError) || !error.hint.includes('devflow <command>')) return error;
  return withHint(error, error.hint.replaceAll('devflow <command>', `devflow ${name}`.trimEnd()));
}

/** The repository of devflow, where this package lies in it; a package that was installed brings no documents along. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const REPOSITORY = PACKAGE.endsWith('/packages/cli/')
  ? PACKAGE.slice(0, -'packages/cli/'.length)
  : undefined;

/** What says most of a document where that is not at hand. */
const HELP: Readonly<Record<string, string>> = {
  'docs/adapters.md': '`devflow adapters --help`',
  'docs/conformance.md': '`devflow conform adapter --help`',
};

/** Documents of devflow that a hint names, by a path that can be opened from anywhere. */
export function placeDocuments(hint: string, repository = REPOSITORY): string {
  return hint.replace(/(?<!\/)docs\/(?:adapters|conformance)\.md/g, (name) => {
    const file = `${repository}${name}`;
    return repository !== undefined && existsSync(file) ? file : (HELP[name] ?? name);
  });
}

function withHint({ code, message, problems, cause }: DevflowError, hint: string): DevflowError {
  return new DevflowError(code, message, { hint, problems, cause });
}
