/**
 * The rest of a body that a client still sends when its answer is known: too large, or of a rejected request. Closing
 * over unread bytes resets the connection, and a client that writes everything before it reads would never see the
 * reason. So the rest is read and discarded, within limits of bytes and time; beyond them the client is cut.
 */

import type { IncomingMessage } from 'node:http';
import { MIB } from '@tapeloom/core/units';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import { isBodyAwaited } from './expected-body.ts';

export const UNREAD_BYTES_MAX = 16 * MIB;
export const UNREAD_MS_MAX = 10_000;

/** Call before the answer's head is written. A connection that was to close stays open until the rest is read. */
export function drainUnreadBody(request: IncomingMessage, reply: FastifyReply, clock: Clock): void {
  if (request.complete || request.readableEnded || request.destroyed) return;
  const { headers, socket } = request;
  const hasBody = Number(headers['content-length']) > 0 || 'transfer-encoding' in headers;
  // A body that was not requested is not sent: the connection closes instead.
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
