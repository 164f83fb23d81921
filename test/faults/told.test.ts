import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll } from 'vitest';
import { quick } from './agents.js';
import { walk } from './walk.js';

/** Notes what is posted beside the repository that the URL names. */
const hook = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    const { event } = JSON.parse(body) as { event: string };
    const outside = decodeURIComponent((request.url ?? '').slice(1));
    appendFileSync(path.join(outside, 'told'), `webhook ${event}\n`);
    response.end();
  });
});
await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
const { port } = hook.address() as AddressInfo;
afterAll(() => {
  hook.closeAllConnections();
  hook.close();
});

const note = (outside: string, what: string) => `echo "${what}" >>'${outside}/told'`;

await walk({
  id: 'told',
  name: 'a run of which persons are told',
  workflow: (outside) => ({
    profiles: { quick: quick(outside) },
    notify: [
      { command: ['/bin/sh', '-c', note(outside, 'command $DEVFLOW_EVENT')] },
      { webhook: `http://127.0.0.1:${port}/${encodeURIComponent(outside)}` },
      'desktop',
    ],
    phases: [{ id: 1, name: 'code', agent: 'quick', prompt: '{{task}}', retries: 0 }],
  }),
  prepare({ directory, env }) {
    const program = path.join(directory, 'notify-send');
    writeFileSync(program, `#!/bin/sh\n${note(directory, 'desktop $3')}\n`);
    chmodSync(program, 0o755);
    env['PATH'] = `${directory}:${env['PATH']}`;
    env['DBUS_SESSION_BUS_ADDRESS'] = 'unix:path=/nowhere';
    return Promise.resolve();
  },
  command: ['run', 'Add a file', '--name', 'test'],
  recoveries: [
    ['resume', 'test'],
    ['run', 'Add a file', '--name', 'test'],
  ],
  only: /notif|preflight|run-ended|run\.(?:lock|unlock|mark-ended)/,
});

await walk({
  id: 'told-at-gate',
  name: 'a run that asks a person who does not look',
  workflow: (outside) => ({
    profiles: { quick: quick(outside) },
    notify: [{ command: ['/bin/sh', '-c', note(outside, 'command $DEVFLOW_EVENT')] }],
    phases: [{ id: 1, name: 'code', agent: 'quick', prompt: '{{task}}', gate: 'before' }],
  }),
  command: ['run', 'Add a file', '--name', 'test'],
  recoveries: [
    ['resume', '--due', '--interrupted'],
    ['resume', 'test'],
  ],
  only: /notif|gate-opened/,
});
