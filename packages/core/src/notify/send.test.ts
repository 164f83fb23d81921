import { chmodSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Answer, receiver } from '../../test/receiver.js';
import { temporaryDirectory, until } from '../../test/temporary.js';
import { readProcess } from '../process/identity.js';
import { resolveWorkflow } from '../workflow/workflow.js';
import { whyNoDesktop } from './desktop.js';
import { type Message, probeMessage } from './message.js';
import { channelSecrets } from './secrets.js';
import { type Sender, send } from './send.js';

const phases = [{ id: 1, name: 'one', prompt: 'x' }];
const definition = {
  id: 'it',
  task: 'do it',
  branch: 'b',
  workflow: resolveWorkflow({ phases }, '/'),
};
const message: Message = {
  ...probeMessage({ definition, root: '/', redact: (text) => text }),
  text: 'it is so',
};
const TOKEN = 'a-token-that-nobody-may-see';
const inPath = { PATH: process.env['PATH'] ?? '' };

/** Sends one message by the channel as a workflow defines it. */
function sendBy(
  channel: unknown,
  { env: more = {}, text = message.text, ...sender }: Partial<Sender> & { text?: string } = {},
) {
  const [first] = resolveWorkflow({ notify: [channel], phases }, '/').notify ?? [];
  if (first === undefined) throw new Error('there is no channel');
  const env = { ...inPath, ...more };
  return send(
    first,
    { ...message, text },
    {
      env,
      cwd: '/',
      signal: new AbortController().signal,
      secrets: channelSecrets(first, env),
      pausesMs: [1, 1],
      ...sender,
    },
  );
}

const status =
  (...codes: number[]): Answer =>
  (response, count) => {
    response.statusCode = codes[count - 1] ?? 200;
    response.end('said so');
  };

describe('a webhook', () => {
  it('gets the message as JSON, with its headers and its token', async () => {
    const { url, received } = await receiver();
    const env = { HOOK: `${url}/T0/path`, TOKEN };
    const channel = { urlFrom: 'HOOK', tokenFrom: 'TOKEN', headers: { 'x-mine': 'yes' } };
    expect(await sendBy(channel, { env })).toBe('sent');
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/T0/path',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${TOKEN}`,
          'x-mine': 'yes',
        },
        message: { ...message, text: 'devflow: it can tell you here (/): it is so' },
      },
    ]);
  });

  it.each([
    ['is busy', [503, 429]],
    ['takes too long by its own account', [408]],
  ])('is tried again where it %s', async (_, codes) => {
    const { url, received } = await receiver(status(...codes));
    expect(await sendBy({ webhook: url })).toBe('sent');
    expect(received).toHaveLength(codes.length + 1);
  });

  it('is tried three times, and then it is said how it ended', async () => {
    const { url, received } = await receiver(status(500, 500, 500));
    expect(await sendBy({ webhook: url })).toEqual({ problem: 'HTTP 500: said so' });
    expect(received).toHaveLength(3);
  });

  it.each([400, 401, 404, 410])('that says %i is not tried again', async (code) => {
    const { url, received } = await receiver(status(code));
    expect(await sendBy({ webhook: url })).toEqual({ problem: `HTTP ${code}: said so` });
    expect(received).toHaveLength(1);
  });

  it('that leads elsewhere is not followed', async () => {
    const elsewhere = await receiver();
    const { url } = await receiver((response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
    });
    expect(await sendBy({ webhook: url })).toEqual({
      problem: 'HTTP 307, which is not followed',
    });
    expect(elsewhere.received).toEqual([]);
  });

  it('that never answers is given up at its time limit, each time', async () => {
    const { url, received } = await receiver(() => undefined);
    expect(await sendBy({ webhook: url, timeout: '200ms' })).toEqual({
      problem: 'no answer in 0.2s',
    });
    expect(received).toHaveLength(3);
  });

  it.each([
    [200, /^"sent"$/],
    [400, /^.{200,300}$/],
  ])('whose answer %i never ends is read to its first piece', async (code, words) => {
    const { url } = await receiver((response) => {
      response.statusCode = code;
      Readable.from(endless()).pipe(response);
      response.on('close', () => (closed += 1));
    });
    let closed = 0;
    function* endless() {
      for (;;) yield 'x'.repeat(65_536);
    }
    expect(JSON.stringify(await sendBy({ webhook: url, timeout: '1h' }))).toMatch(words);
    await until(() => closed > 0);
  });

  it('that is not there is said to be so, by its host only', async () => {
    const { url, close } = await receiver();
    await close();
    expect(await sendBy({ webhook: `${url}/T0/a-secret-of-the-path` })).toEqual({
      problem: `connect ECONNREFUSED ${url.slice('http://'.length)}`,
    });
  });

  it('that gives back its secrets shows none', async () => {
    const { url } = await receiver((response) => {
      response.statusCode = 400;
      response.end(`no ${TOKEN} at /services/a-secret-of-the-path, nor header-secret`);
    });
    const came = await sendBy(
      {
        webhook: `${url}/services/a-secret-of-the-path`,
        tokenFrom: 'TOKEN',
        headers: { 'x-key': 'header-secret' },
      },
      { env: { TOKEN } },
    );
    expect(came).toEqual({
      problem: 'HTTP 400: no [redacted] at [redacted], nor [redacted]',
    });
  });

  it.each([
    [{ urlFrom: 'HOOK' }, {}, 'HOOK not set'],
    [{ webhook: 'http://127.0.0.1:1', tokenFrom: 'TOKEN' }, {}, 'TOKEN not set'],
    [{ urlFrom: 'HOOK' }, { HOOK: 'a-secret' }, 'its URL does not begin with https://'],
  ])('%j with %j is not tried', async (channel, env, why) => {
    expect(await sendBy(channel, { env })).toEqual({ problem: expect.stringContaining(why) });
  });

  it('is left as soon as the run is to stop, and before a try where it is no news any more', async () => {
    const stop = new AbortController();
    const hanging = await receiver(() => stop.abort());
    expect(await sendBy({ webhook: hanging.url }, { signal: stop.signal })).toBe('left');
    const last = new AbortController();
    const refusing = await receiver((response) => {
      last.abort();
      response.end();
    });
    const only = { signal: last.signal, pausesMs: [] };
    expect(await sendBy({ webhook: refusing.url }, only)).toBe('left');
    const busy = await receiver(status(500));
    expect(await sendBy({ webhook: busy.url }, { isNews: () => busy.received.length === 0 })).toBe(
      'left',
    );
    expect(busy.received).toHaveLength(1);
  });
});

describe('a command', () => {
  const sh = (script: string) => ['/bin/sh', '-c', script];

  it('gets the message as JSON on its input, and as variables, each as it is', async () => {
    const cwd = realpathSync(temporaryDirectory());
    const text = `$(touch hurt) \`touch hurt\` "; touch hurt`;
    const script =
      'cat >input; printf %s "$DEVFLOW_TEXT" >text; env | cut -d= -f1 >names; pwd >where';
    const env = { SHOWN: 'yes', HIDDEN: 'yes' };
    expect(await sendBy({ command: sh(script), envFrom: ['SHOWN'] }, { cwd, env, text })).toBe(
      'sent',
    );
    const read = (name: string) => readFileSync(path.join(cwd, name), 'utf8');
    expect(JSON.parse(read('input'))).toEqual({ ...message, text });
    expect(read('text')).toBe(text);
    expect(read('where').trim()).toBe(cwd);
    expect(existsSync(path.join(cwd, 'hurt'))).toBe(false);
    const names = read('names').split('\n');
    expect(names).toEqual(expect.arrayContaining(['DEVFLOW_EVENT', 'DEVFLOW_RUN_ID', 'SHOWN']));
    expect(names).not.toContain('HIDDEN');
  });

  it('that reads nothing of it is well', async () => {
    expect(await sendBy({ command: sh('exec <&-; true') })).toBe('sent');
  });

  it('that fails is tried three times; its last words are told, without secrets', async () => {
    const cwd = temporaryDirectory();
    const script = 'echo x >>tries; echo first; echo "not $KEY" >&2; exit 7';
    const channel = { command: sh(script), envFrom: ['KEY'] };
    expect(await sendBy(channel, { cwd, env: { KEY: TOKEN } })).toEqual({
      problem: 'exit 7: not [redacted]',
    });
    expect(readFileSync(path.join(cwd, 'tries'), 'utf8')).toBe('x\nx\nx\n');
  });

  it('that hangs is ended with all it started, at its time limit', async () => {
    const cwd = temporaryDirectory();
    const script = 'sleep 600 & echo $! >>pids; wait';
    expect(await sendBy({ command: sh(script), timeout: '200ms' }, { cwd })).toEqual({
      problem: 'timed out after 0.2s',
    });
    const pids = readFileSync(path.join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number);
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect([undefined, 'Z']).toContain(readProcess(pid)?.state);
  });

  it('is not run without a variable that it asks for', async () => {
    const cwd = temporaryDirectory();
    const channel = { command: sh('echo x >ran'), envFrom: ['PAGER_KEY'] };
    expect(await sendBy(channel, { cwd })).toEqual({ problem: 'PAGER_KEY not set' });
    expect(existsSync(path.join(cwd, 'ran'))).toBe(false);
    expect(await sendBy(channel, { cwd, env: { PAGER_KEY: 'key' } })).toBe('sent');
  });

  it('that is not there is tried once', async () => {
    const slow = { pausesMs: [600_000] };
    expect(await sendBy({ command: ['no-such-program'] }, slow)).toEqual({
      problem: expect.stringMatching(/^could not be started: .* is not in the PATH/),
    });
  });
});

describe('the desktop', () => {
  /** A program of that name, which notes what it is to show. */
  function desktop() {
    const directory = temporaryDirectory();
    const program = path.join(directory, 'notify-send');
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$DISPLAY" "$@" >'${directory}/shown'\n`);
    chmodSync(program, 0o755);
    const env = {
      PATH: `${directory}:${inPath.PATH}`,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
      DISPLAY: ':7',
    };
    return { directory, env };
  }

  it('shows title and text, which are no options and no markup', async () => {
    const { directory, env } = desktop();
    expect(await sendBy('desktop', { env, text: '-x <b>bold</b> & more' })).toBe('sent');
    expect(readFileSync(path.join(directory, 'shown'), 'utf8').trimEnd().split('\n')).toEqual([
      ':7',
      '--app-name=devflow',
      '--',
      message.title,
      '-x &lt;b&gt;bold&lt;/b&gt; &amp; more',
    ]);
  });

  it('is there where its program is, and the name of a bus', () => {
    const { directory, env } = desktop();
    expect(whyNoDesktop('/', { PATH: '/nowhere' })).toBe('notify-send is not in the PATH');
    expect(whyNoDesktop('/', { PATH: env.PATH })).toMatch(/there is no session bus/);
    expect(whyNoDesktop('/', env)).toBeUndefined();
    const usual = { PATH: env.PATH, XDG_RUNTIME_DIR: directory };
    expect(whyNoDesktop('/', usual)).toMatch(/there is no session bus/);
    writeFileSync(path.join(directory, 'bus'), '');
    expect(whyNoDesktop('/', usual)).toBeUndefined();
  });
});
