/**
 * What a client still sends when its answer is known: a body too large, or one of a request that was refused
 * before it was read. A connection that is closed over unread bytes is reset, and a client that writes all
 * before it reads never sees why. So the rest is read and thrown away, within limits of bytes and time;
 * whoever goes on beyond them is cut.
 */

import type { IncomingMessage } from 'node:http';
import { MIB } from '@tapeloom/core/units';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import { isBodyAwaited } from './expected-body.ts';

export const UNREAD_BYTES_MAX = 16 * MIB;
export const UNREAD_MS_MAX = 10_000;

/**
 * Before the head of the answer is written. A connection that was to close with it (as we or the client wish) stays
 * open until the rest was read.
 */
export function drainUnreadBody(request: IncomingMessage, reply: FastifyReply, clock: Clock): void {
  if (request.complete || request.readableEnded || request.destroyed) return;
  const { headers, socket } = request;
  const hasBody = Number(headers['content-length']) > 0 || 'transfer-encoding' in headers;
  // Nobody sends what was not asked for: the connection closes instead.
  if (!hasBody || isBodyAwaited(request)) return;
  const { raw: response } = reply;
  const isLast = reply.getHeader('connection') === 'close' || !response.shouldKeepAlive;
  reply.removeHeader('connection');
  response.shouldKeepAlive = true;
  const deadline = clock.after(UNREAD_MS_MAX, () => socket.destroy());
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > UNREAD_BYTES_MAX) socket.destroy();
  });
  request.once('end', () => {
    deadline[Symbol.dispose]();
    if (!isLast) return;
    if (response.writableFinished) socket.end();
    else response.once('finish', () => socket.end());
  });
  request.once('close', () => deadline[Symbol.dispose]());
  request.resume();
}
