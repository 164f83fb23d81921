import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory, until } from '../../test/temporary.js';
import { requestStop, watchForStop } from './inbox.js';

function watched(inbox: string, caller?: AbortSignal) {
  const watching = watchForStop(inbox, caller);
  onTestFinished(() => watching.close());
  return watching;
}

function emptyInbox(): string {
  const inbox = path.join(temporaryDirectory(), 'inbox');
  mkdirSync(inbox);
  return inbox;
}

describe('a request to stop', () => {
  it('sets off who watches, and is taken out', async () => {
    const inbox = emptyInbox();
    const { signal } = watched(inbox);
    expect(signal.aborted).toBe(false);
    requestStop(inbox);
    await until(() => signal.aborted);
    await until(() => readdirSync(inbox).length === 0);
  });

  it('that was there before anybody watched counts at once', () => {
    const inbox = path.join(temporaryDirectory(), 'inbox');
    requestStop(inbox);
    expect(watched(inbox).signal.aborted).toBe(true);
    expect(readdirSync(inbox)).toEqual([]);
  });

  it('is found without a watch, where the directory was made later', async () => {
    const inbox = path.join(temporaryDirectory(), 'inbox');
    const { signal } = watched(inbox);
    requestStop(inbox);
    await until(() => signal.aborted);
  });

  it('is nothing else that lies there, and no half of one', async () => {
    const inbox = emptyInbox();
    const { signal } = watched(inbox);
    writeFileSync(path.join(inbox, 'steer-1.json'), '{}');
    writeFileSync(path.join(inbox, 'stop-1.json.ab12.tmp'), '{');
    requestStop(path.join(inbox, 'elsewhere'));
    expect(signal.aborted).toBe(false);
    requestStop(inbox);
    await until(() => signal.aborted);
    await until(() => readdirSync(inbox).every((name) => !/^stop-.*\.json$/.test(name)));
    expect(readdirSync(inbox).toSorted()).toEqual([
      'elsewhere',
      'steer-1.json',
      'stop-1.json.ab12.tmp',
    ]);
  });

  it('comes from the caller too, before or later', () => {
    const controller = new AbortController();
    const { signal } = watched(emptyInbox(), controller.signal);
    expect(signal.aborted).toBe(false);
    controller.abort();
    expect(signal.aborted).toBe(true);
    expect(watched(emptyInbox(), AbortSignal.abort()).signal.aborted).toBe(true);
  });

  it('no longer counts for a watch that is closed', async () => {
    const inbox = emptyInbox();
    const closed = watched(inbox);
    closed.close();
    requestStop(inbox);
    const { signal } = watched(inbox);
    await until(() => signal.aborted);
    expect(closed.signal.aborted).toBe(false);
  });

  it('does no harm where the inbox is gone', () => {
    const inbox = emptyInbox();
    const watching = watched(inbox);
    rmSync(inbox, { recursive: true });
    watching.close();
    expect(watching.signal.aborted).toBe(false);
  });
});
