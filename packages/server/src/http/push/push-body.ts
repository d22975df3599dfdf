/**
 * Bodies of pushed batches: each within its size and its time, and all together within a budget of memory. A body that
 * does not come whole leaves nothing.
 */

import type { IncomingMessage } from 'node:http';
import { MIB } from '@tapeloom/core/units';
import { PUSH_BYTES_MAX } from '@tapeloom/protocol/push';
import type { Clock } from '../../platform/clock.ts';

export const BODY_MS_MAX = 10_000;
/** Four of the largest. */
const BODIES_BYTES_MAX = 64 * MIB;
const BODIES_MAX = 64;
/** After an early answer this much of the body is read on: closing over unread bytes would lose the answer. */
const UNREAD_BYTES_MAX = PUSH_BYTES_MAX;

/** `gone`: the client has closed the connection; nobody waits for an answer. */
export type BodyFault = 'too-large' | 'too-slow' | 'gone';

export class PushBodies {
  #bytes = 0;
  #count = 0;

  /** Reserves memory for a body until disposed; null: too many are there. */
  reserve(request: IncomingMessage): Disposable | null {
    const bytes = announcedBytes(request) ?? PUSH_BYTES_MAX;
    if (this.#count >= BODIES_MAX || this.#bytes + bytes > BODIES_BYTES_MAX) return null;
    this.#bytes += bytes;
    this.#count += 1;
    return {
      [Symbol.dispose]: () => {
        this.#bytes -= bytes;
        this.#count -= 1;
      },
    };
  }
}

export function isAnnouncedTooLarge(request: IncomingMessage): boolean {
  return (announcedBytes(request) ?? 0) > PUSH_BYTES_MAX;
}

export function readPushBody(
  request: IncomingMessage,
  clock: Pick<Clock, 'after'>,
): Promise<Uint8Array<ArrayBuffer> | BodyFault> {
  // The client may have left while its secret was checked: no event would come.
  if (request.destroyed) return Promise.resolve('gone');
  const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer> | BodyFault>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const deadline = clock.after(BODY_MS_MAX, () => settle('too-slow'));
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > PUSH_BYTES_MAX) settle('too-large');
    else chunks.push(chunk);
  };
  const onEnd = () => settle(request.complete ? joined(chunks, bytes) : 'gone');
  const onGone = () => settle('gone');
  const settle = (outcome: Uint8Array<ArrayBuffer> | BodyFault) => {
    deadline[Symbol.dispose]();
    request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
    // A later failure of the connection concerns nobody.
    request.on('error', () => undefined);
    resolve(outcome);
  };
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  return promise;
}

/** Reads and drops the rest of a body that was answered early, within limits; beyond them the connection is cut. */
export function dropRest(request: IncomingMessage, clock: Pick<Clock, 'after'>): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  const deadline = clock.after(BODY_MS_MAX, () => socket.destroy());
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > UNREAD_BYTES_MAX) socket.destroy();
  });
  request.on('error', () => undefined);
  const stop = () => {
    deadline[Symbol.dispose]();
    socket.off('close', stop);
  };
  request.once('end', stop);
  // An answered request gets no `close` of its own.
  socket.once('close', stop);
  request.resume();
}

function announcedBytes({ headers }: IncomingMessage): number | null {
  const text = headers['content-length'];
  return text === undefined ? null : Number(text);
}

/** One piece of memory of its own, which can move to another thread. */
function joined(chunks: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
