import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentAdapter } from '@devflow/core/adapter';
import { directoryAdapter } from '@devflow/core/directory';
import { conformAdapter, directoryKit, notPassed, readKit } from '@devflow/core/testing';
import { type CommandLine, commandLine, parseRun } from '../../packages/cli/test/command-line.js';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const PROJECT = file('project');
const NOTER = 'project/.devflow/adapters/noter/adapter.mjs';
const { adapter, conformance } = (await import(file(NOTER))) as {
  adapter: AgentAdapter;
  conformance: unknown;
}; // plain JavaScript
const READER = 'project/.devflow/adapters/reader/run';
const AGENTS = ['noter/noter.mjs', 'reader/notes-reader'];

describe('the example', () => {
  let here: CommandLine;
  beforeEach(async () => {
    here = await commandLine();
    cpSync(PROJECT, here.root, { recursive: true });
    await here.commit({}, 'Add the project');
  });
  afterEach(() => here.remove());

  const accept = () => here.devflow(['adapters', '--accept', 'noter', 'reader']);
  const run = async (task = 'Buy milk') => {
    const { stdout, code } = await here.devflow(['run', task, '--name', 'it', '--json']);
    return { code, ...parseRun(stdout) };
  };

  test('is confirmed, then notes what it is asked to, and reads it back', async () => {
    const refused = await here.devflow(['run', 'Buy milk', '--name', 'it']);
    expect(refused.stderr).toContain('devflow adapters --accept noter reader');
    expect((await accept()).code).toBe(0);
    const { code, result, events } = await run();
    expect(code).toBe(0);
    expect(result.state).toBe('completed');
    expect(await here.git('show', 'devflow/it/work:NOTES.md')).toBe('- Buy milk');
    expect(events).toContainEqual(
      expect.objectContaining({
        event: expect.objectContaining({ kind: 'edit', file: 'NOTES.md' }),
      }),
    );
  });

  test('is not complete where its stream breaks off, whatever was committed', async () => {
    const noter = readFileSync(path.join(PROJECT, '.devflow/adapters/noter/noter.mjs'), 'utf8');
    const torn = noter.replace(
      "  say({ type: 'end', ok: true, text: `It is noted",
      '  ({ text: `It is noted',
    );
    expect(torn).not.toBe(noter);
    here.write({ '.devflow/adapters/noter/noter.mjs': torn });
    await accept();
    const { code, events } = await run();
    expect(code).toBe(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'attempt-ended', phase: 1, outcome: 'incomplete' }),
    );
  });

  test('finds that something is not there', async () => {
    here.write({ '.devflow/adapters/reader/run': '#!/bin/sh\nrm -f NOTES.md\nexec "$0.real"\n' });
    cpSync(file(READER), path.join(here.root, '.devflow/adapters/reader/run.real'));
    for (const name of ['run', 'run.real'])
      chmodSync(path.join(here.root, '.devflow/adapters/reader', name), 0o755);
    await accept();
    const { code, events } = await run();
    expect(code).toBe(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'attempt-ended', phase: 2, outcome: 'rejected' }),
    );
  });
});

describe('its adapter', () => {
  const parse = (...lines: string[]) => {
    const parser = adapter.createParser?.({ now: () => new Date(), timeZone: 'UTC' });
    const events = lines.flatMap((line) => parser?.line(line) ?? []);
    return { events, result: parser?.result() };
  };

  test('keeps what it does not know, and calls a stream without an end open', () => {
    const { events, result } = parse('{"type":"dance"}', 'not JSON', '{"type":3}');
    expect(events.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['other', '{"type":"dance"}'],
      ['other', 'not JSON'],
      ['other', '{"type":3}'],
    ]);
    expect(result).toEqual({ turn: 'open' });
  });

  test('tells a failed turn from a finished one', () => {
    const failed = parse('{"type":"end","ok":false,"text":"no"}');
    expect(failed.result).toEqual({ turn: 'failed', failure: { kind: 'failed', message: 'no' } });
    expect(failed.events[0]?.state).toBe('failed');
    const finished = parse('{"type":"end","ok":true,"text":"yes"}');
    expect(finished.result).toEqual({ turn: 'finished', finalText: 'yes' });
    expect(finished.events[0]?.state).toBe('turn_finished');
  });
});

describe('conformance', () => {
  const kit = readKit(conformance, NOTER);

  test('of noter is all that can be asked of it', async () => {
    const report = await conformAdapter({ adapter, ...kit });
    expect(notPassed(report)).toEqual({
      'session-id': expect.stringMatching(/^UNSUPPORTED: it does not claim/),
      'wire-idempotent': 'UNSUPPORTED: it offers no wiring',
    });
  }, 60_000);

  test('of reader too', async () => {
    const directory = file(path.dirname(READER));
    const subject = { adapter: directoryAdapter(directory), ...directoryKit(directory) };
    const found = notPassed(await conformAdapter(subject));
    expect(Object.keys(found).toSorted()).toEqual([
      'events-normalised', 'preflight-honest', 'session-id', 'usage-reported', 'wire-idempotent',
    ]); // prettier-ignore
    expect(Object.values(found).filter((why) => !why.startsWith('UNSUPPORTED: '))).toEqual([]);
  }, 60_000);

  test('is asked by what noter prints', async () => {
    const here = await commandLine();
    const printed = (input: string) => {
      const options = { cwd: here.root, env: here.env, input, encoding: 'utf8' } as const;
      const stdout = execFileSync(
        file(`project/.devflow/adapters/${AGENTS[0]}`),
        ['--model=brief'],
        options,
      );
      return stdout.replace(JSON.stringify(here.root), '"/project"');
    };
    try {
      expect(printed('Note this: Buy milk\n')).toBe(kit.captures?.success.stdout);
      expect(printed('Do nothing\n')).toBe(kit.captures?.error.stdout);
    } finally {
      here.remove();
    }
  });
});

describe('docs/adapters.md', () => {
  const text = readFileSync(file('../../docs/adapters.md'), 'utf8');
  const shown = (kind: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code);

  test('shows the files of the example as they are, each under 60 lines', () => {
    for (const [kind, name] of [
      ['js', NOTER],
      ['sh', READER],
      ['sh', `project/.devflow/adapters/${AGENTS[1]}`],
    ] as const) {
      const content = readFileSync(file(name), 'utf8');
      expect(content.split('\n').length).toBeLessThan(60);
      expect(shown(kind)).toContain(content);
    }
  });
});
