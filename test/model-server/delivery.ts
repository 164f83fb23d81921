/** Sends an answer down a connection: at once or in a stream, slowly, late, in part or not at all. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Answer, Frame, Protocol } from './protocol.ts';
import type { MessageReply } from './reply.ts';
import type { Break, MessageTurn } from './turns.ts';

export async function deliver(
  response: ServerResponse,
  protocol: Protocol,
  { turn, answer }: MessageReply,
  stream: boolean,
): Promise<void> {
  const type = stream ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type, ...turn.headers });
  response.flushHeaders();
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  void closed.then(() => gone.abort());
  if (turn.after !== undefined) await Promise.race([turn.after, closed]);

  const pieces = stream ? streamed(protocol, turn, answer) : whole(protocol, turn, answer);
  for (const { text, delta } of pieces) {
    if (delta === true && turn.wordEveryMs !== undefined) await wait(turn.wordEveryMs, gone.signal);
    if (response.destroyed) return; // The agent has gone, or the test has ended.
    // Written before the next step: what precedes a cut is to arrive.
    await Promise.race([new Promise((resolve) => response.write(text, resolve)), closed]);
  }
  if (turn.breaks === 'hang') await closed;
  else if (turn.breaks === 'cut') response.destroy();
  else response.end();
}

interface Piece {
  readonly text: string;
  readonly delta?: true;
}

function streamed(protocol: Protocol, turn: MessageTurn, answer: Answer): Piece[] {
  const frames = protocol.frames(answer);
  return framesUntil(turn.breaks, frames, protocol).map(({ event, data, delta }) => {
    const name = event === undefined ? '' : `event: ${event}\n`;
    const text = `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
    return { text, ...(delta && { delta }) };
  });
}

/** All that is said, without what would end it: the event after the last piece is not sent. */
function framesUntil(
  breaks: Break | undefined,
  frames: readonly Frame[],
  protocol: Protocol,
): readonly Frame[] {
  if (breaks === undefined) return frames;
  const said = frames.slice(0, frames.findLastIndex(({ delta }) => delta === true) + 1);
  if (typeof breaks === 'string') return said;
  return [...said, ...protocol.failInStream(breaks.failure, breaks.event)];
}

function whole(protocol: Protocol, { breaks }: MessageTurn, answer: Answer): Piece[] {
  const text = JSON.stringify(protocol.whole(answer));
  if (breaks === 'hang') return [];
  return [{ text: breaks === 'cut' ? text.slice(0, text.length / 2) : text }];
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
