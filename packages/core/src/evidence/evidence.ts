import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { Answer } from '../adapter/index.js';
import type { RunContext } from '../context.js';
import { changedPaths } from '../git/changed-paths.js';
import type { GitFacts } from '../git/measure.js';
import { matcher, matcherWithin } from './globs.js';
import { validationProblems } from './json-schema.js';
import type { EvidenceFacts, FileFact, Matched } from '../judge/observation.js';
import { codeOf } from '../process/system-error.js';
import type { Phase } from '../workflow/workflow.js';
import { runWorktree } from '../workspace.js';

/** Measures what the phase asks for by its keys, and nothing else. @param since the commit that the phase began with */
export async function measureEvidence(
  context: RunContext,
  phase: Phase,
  since: string,
  git: GitFacts,
  answer: Answer | undefined,
): Promise<EvidenceFacts> {
  return {
    ...outputFacts(phase, answer),
    ...(phase.files !== undefined && {
      files: phase.files.map((file) => fileFact(runWorktree(context), file)),
    }),
    ...(phase.changes !== undefined && (await changeFacts(context, phase.changes, since, git))),
  };
}

function outputFacts({ answer: schema }: Phase, answer: Answer | undefined): EvidenceFacts {
  if (schema === undefined || answer?.output === undefined) return {};
  return { output: validationProblems(schema, answer.output) };
}

async function changeFacts(
  context: RunContext,
  { must, mustNot }: NonNullable<Phase['changes']>,
  since: string,
  git: GitFacts,
): Promise<EvidenceFacts> {
  if (git.head === undefined) return { errors: git.errors }; // it may be no worktree of the run's any more
  const confined = context.sandbox.confinedBy !== 'nobody';
  const changed = await changedPaths(runWorktree(context), since, git, context.env, { confined });
  if ('error' in changed) return { errors: [changed.error] };
  const touched = (pattern: string): Matched => {
    const paths = changed.paths.filter(matcher([pattern]));
    return { pattern, paths };
  };
  // Whatever might be what must not change counts as it; only what is known to be what must change does.
  const done = (pattern: string): Matched => {
    const repositories = changed.repositories.filter((name) => name === pattern);
    return { pattern, paths: [...changed.files.filter(matcherWithin([pattern])), ...repositories] };
  };
  return { changes: { must: must.map(done), mustNot: mustNot.map(touched) } };
}

/** Nothing on the way to a file may be a symbolic link: what is behind it is not in the repository. */
function fileFact(directory: string, file: string): FileFact {
  const parts = file.split('/');
  for (const [index] of parts.entries()) {
    const name = parts.slice(0, index + 1).join('/');
    const is = kindOf(path.join(directory, name));
    if (index === parts.length - 1) return { file, is };
    if (is !== 'a directory')
      return {
        file,
        is: is === 'file' ? `${name} is a file` : `${is}${is === 'nothing' ? '' : ` at ${name}`}`,
      };
  }
  return { file, is: 'nothing' };
}

function kindOf(place: string): string {
  try {
    const found = lstatSync(place);
    if (found.isFile()) return 'file';
    if (found.isSymbolicLink()) return 'a symbolic link';
    return found.isDirectory() ? 'a directory' : 'neither file nor directory';
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'nothing' : `it cannot be looked at (${code})`;
  }
}
