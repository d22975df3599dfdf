/**
 * The cheapest HTTP client that is still one: prepared requests over kept connections, each connection
 * with one request under way. It only looks for the status and the length of an answer, so that the
 * server is what is measured.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const OK = Buffer.from('HTTP/1.1 200 ');
const LENGTH = Buffer.from('content-length: ');

export interface Load {
  readonly port: number;
  /** Sent in turn, over all connections. */
  readonly requests: readonly Buffer[];
  readonly connections: number;
  readonly seconds: number;
}

/** Requests answered with 200 in a second; anything else rejects. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const socket = connect(load.port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return socket;
    }),
  );
  const startMs = performance.now();
  const endMs = startMs + load.seconds * 1_000;
  let answered = 0;
  let next = 0;
  const nextRequest = () => {
    answered += 1;
    if (performance.now() >= endMs) return null;
    next = (next + 1) % load.requests.length;
    return load.requests[next]!;
  };
  try {
    await Promise.all(sockets.map((socket) => keepAsking(socket, nextRequest)));
    return ((answered - sockets.length) / (performance.now() - startMs)) * 1_000;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Asks again whenever the last answer is complete, until there is nothing more to ask. */
function keepAsking(socket: Socket, nextRequest: () => Buffer | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let waiting: Buffer = Buffer.alloc(0);
  const ask = () => {
    const request = nextRequest();
    if (request === null) resolve();
    else socket.write(request);
  };
  socket.on('data', (chunk: Buffer) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const bytes = answerBytes(waiting);
    if (bytes === null || waiting.length < bytes) return;
    if (!waiting.subarray(0, OK.length).equals(OK)) {
      reject(new Error(waiting.toString('latin1')));
      return;
    }
    waiting = Buffer.alloc(0);
    ask();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server closed a connection')));
  ask();
  return promise;
}

/** How long the answer is in all; null while its head is not complete. */
function answerBytes(answer: Buffer): number | null {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const place = answer.indexOf(LENGTH) + LENGTH.length;
  return (
    headEnd + HEAD_END.length + Number.parseInt(answer.toString('latin1', place, place + 8), 10)
  );
}
