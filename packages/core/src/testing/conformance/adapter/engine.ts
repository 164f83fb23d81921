import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Mode } from '../../../adapter/index.js';
import type { AttemptResult, RunResult } from '../../../result.js';
import { run } from '../../../run.js';
import type { Evidence } from '../../../workflow/schema-phase.js';
import { type TemporaryRepository, temporaryRepository } from '../../temporary-repository.js';
import type { CaseContext } from '../case.js';
import { capturesOf } from './captures.js';
import { machineEnvironment, placeProgram, stubFile } from './place.js';
import { type StubBehaviour, type StubProgram, writeStubProgram } from './stub-program.js';
import type { AdapterSubject } from './subject.js';

export interface EngineRunOptions extends Partial<Omit<StubBehaviour, 'answers'>> {
  readonly mode: Mode;
  /** Besides a finished turn; nothing where it is left out. */
  readonly requires?: readonly Evidence[];
  readonly task?: string;
  readonly signal?: AbortSignal;
}

export interface EngineRun {
  readonly result: RunResult;
  readonly attempt: AttemptResult | undefined;
  /** The prompt as devflow kept it. */
  readonly prompt: Buffer;
  readonly repository: TemporaryRepository;
  readonly stub: StubProgram;
}

/** One phase by devflow's own engine, in a repository of its own, with the stub in the place of the agent's program. */
export async function runThroughEngine(
  context: CaseContext<AdapterSubject>,
  options: EngineRunOptions,
): Promise<EngineRun> {
  const { subject, directory } = context;
  const { mode, requires = [], task = 'Say hello.', signal = context.signal } = options;
  const stub = writeStubProgram(stubFile(subject, directory), {
    stdout: capturesOf(subject)?.success.stdout ?? '',
    ...options,
    answers: subject.stub?.answers ?? [],
  });
  const { adapter } = subject;
  const repository = await temporaryRepository({ parent: directory });
  const result = await run(
    {
      sandbox: 'none',
      profiles: {
        subject: { adapter: adapter.name, ...placeProgram(subject, stub.file).options },
      },
      phases: [
        {
          id: 1,
          name: 'only',
          agent: 'subject',
          prompt: '{{task}}',
          mode,
          requires: [...requires],
          retries: 0,
        },
      ],
    },
    {
      task,
      name: 'conformance',
      cwd: repository.root,
      signal,
      adapters: [adapter],
      env: machineEnvironment(subject.stub ?? {}, directory, stub.file),
    },
  );
  const attempt = result.attempts[0];
  for (const { code, message } of result.problems) context.observe(`${code}: ${message}`);
  context.observe(
    `${mode}: the run is ${result.state}, the attempt ${attempt?.outcome ?? 'did not begin'}`,
  );
  const prompt =
    attempt === undefined
      ? Buffer.alloc(0)
      : readFileSync(path.join(attempt.directory, 'prompt.md'));
  return { result, attempt, prompt, repository, stub };
}
