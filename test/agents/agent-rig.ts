/** A run of devflow whose agent is a real CLI, in a linked worktree outside /tmp, against a scripted model. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { claude } from '@devflow/adapter-claude';
import { codex } from '@devflow/adapter-codex';
import { opencode } from '@devflow/adapter-opencode';
import {
  type AgentAdapter,
  type RunEvent,
  type RunResult,
  type WorkflowDefinition,
  run,
} from '@devflow/core';
import { type TemporaryRepository, temporaryRepository } from '@devflow/core/testing';
import { expect, onTestFinished } from 'vitest';
import { processesOf, until } from '../../packages/core/test/rig.ts';
import { installAgent } from '../../scripts/agents-install.js';
import { type ModelServer, type Script, startModelServer } from '../model-server/server.ts';

export type AgentName = 'claude' | 'codex' | 'opencode';

const ADAPTERS: Readonly<Record<AgentName, () => AgentAdapter>> = { claude, codex, opencode };
const AGENTS = Object.keys(ADAPTERS) as AgentName[];
/** Not under /tmp, where some of what is refused elsewhere is allowed. */
const PLACE = '/var/tmp';

export type Phase = Partial<WorkflowDefinition['phases'][number]>;

export interface AgentRun {
  readonly result: RunResult;
  readonly server: ModelServer;
  readonly events: readonly RunEvent[];
  readonly repository: TemporaryRepository;
}

export interface AgentRunOptions {
  readonly phases: readonly Phase[];
  readonly script: Script;
  readonly task?: string;
  /** Of the first commit. */
  readonly files?: Readonly<Record<string, string>>;
  /** Where the agents call their model, in place of the scripted one. */
  readonly url?: string;
  /** Logged in by subscription, where the agent tells such limits apart. */
  readonly subscription?: true;
  readonly workflow?: Partial<WorkflowDefinition>;
  /** Tool servers of each profile. */
  readonly mcp?: NonNullable<WorkflowDefinition['profiles']>[string]['mcp'];
  /** More of the caller's environment. */
  readonly env?: (repository: TemporaryRepository) => Record<string, string>;
  /** What happens in the repository before the run. */
  readonly prepare?: (repository: TemporaryRepository) => Promise<void>;
  /** More options of the run. */
  readonly options?: { readonly base: string; readonly against: string };
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent, repository: TemporaryRepository) => void;
}

/** A run that is ready to begin, here or in another process. */
export interface PreparedRun {
  readonly repository: TemporaryRepository;
  readonly server: ModelServer;
  readonly workflow: WorkflowDefinition;
  /** All but the adapters. */
  readonly run: { task: string; name: string; cwd: string; env: Record<string, string> };
  readonly agents: readonly AgentName[];
}

/** Runs phases with an agent; each phase may name another. Nothing of it may be left when the test is over. */
export async function runAgent(agent: AgentName, options: AgentRunOptions): Promise<AgentRun> {
  const prepared = await prepareRun(agent, options);
  const { repository, server, agents } = prepared;
  await options.prepare?.(repository);
  const events: RunEvent[] = [];
  const result = await run(prepared.workflow, {
    ...prepared.run,
    ...options.options,
    adapters: agents.map((name) => ADAPTERS[name]()),
    ...(options.signal !== undefined && { signal: options.signal }),
    onEvent(event) {
      events.push(event);
      options.onEvent?.(event, repository);
    },
  });
  return { result, server, events, repository };
}

export async function prepareRun(agent: AgentName, options: AgentRunOptions): Promise<PreparedRun> {
  const { files } = options;
  const repository = await temporaryRepository({ parent: PLACE, ...(files && { files }) });
  const server = await startModelServer(options.script);
  onTestFinished(async () => {
    const ending = server.close();
    await expectNothingAlive(repository);
    repository.remove();
    await ending; // rejects where the agent left the script
  });
  const url = options.url ?? server.url;
  const { phases, workflow, task = 'Write greeting.txt' } = options;
  const agents = AGENTS.filter(
    (name) => name === agent || phases.some((phase) => phase.agent === name),
  );
  for (const name of agents) CONFIGURE[name](repository.home, url);
  return {
    repository,
    server,
    agents,
    workflow: {
      ...workflow,
      profiles: Object.fromEntries(agents.map((name) => [name, profileOf(name, url, options)])),
      defaults: { agent, retries: 0, timeout: '2m' },
      phases: phases.map((phase, index) => ({
        id: index + 1,
        name: `step-${index + 1}`,
        prompt: '{{task}}',
        ...phase,
      })),
    },
    run: {
      task,
      name: 'real',
      cwd: repository.root,
      env: { ...repository.env, SCRIPTED_KEY: 'not-a-key', ...options.env?.(repository) },
    },
  };
}

/** Every process that a run starts has the repository's own HOME in its environment. */
export async function expectNothingAlive({ directory }: TemporaryRepository): Promise<void> {
  await until(() => processesOf(directory).length === 0, 5_000).catch(() => undefined);
  const left = processesOf(directory);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  expect(left).toEqual([]);
}

/** The program of the agent that `DEVFLOW_TRY_…` names, or the pinned one. */
export function binaryOf(name: AgentName): string {
  return process.env[`DEVFLOW_TRY_${name.toUpperCase()}`] ?? installAgent(name);
}

function profileOf(name: AgentName, url: string, { subscription, mcp }: AgentRunOptions) {
  const profile = { adapter: name, program: binaryOf(name), ...(mcp !== undefined && { mcp }) };
  switch (name) {
    case 'claude':
      // As root it refuses to work outside a sandbox; here nothing but this test's directory is at stake.
      return {
        ...profile,
        env: {
          ANTHROPIC_BASE_URL: url,
          [subscription === true ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY']: 'not-a-key',
          IS_SANDBOX: '1',
        },
      };
    case 'codex':
      return { ...profile, envFrom: ['SCRIPTED_KEY'] };
    case 'opencode':
      return { ...profile, model: 'scripted/fake', envFrom: ['SCRIPTED_KEY'] };
    default:
      return name satisfies never;
  }
}

/** The agent's own configuration, as a user has it: in the HOME of the test. */
const CONFIGURE: Readonly<Record<AgentName, (home: string, url: string) => void>> = {
  claude: () => undefined,
  codex: (home, url) =>
    writeConfiguration(path.join(home, '.codex', 'config.toml'), [
      'model = "fake-model"',
      'model_provider = "scripted"',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${url}/v1"`,
      'env_key = "SCRIPTED_KEY"',
      'wire_api = "responses"',
    ]),
  opencode(home, url) {
    const limit = { context: 1_000_000, output: 10_000 };
    const scripted = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${url}/v1`, apiKey: '{env:SCRIPTED_KEY}' },
      models: { fake: { name: 'Fake', limit, cost: { input: 1, output: 2 } } },
    };
    const configuration = { provider: { scripted } };
    const file = path.join(home, '.config', 'opencode', 'opencode.json');
    writeConfiguration(file, [JSON.stringify(configuration)]);
  },
};

function writeConfiguration(file: string, lines: readonly string[]): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
}
