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
const NOTHING = Buffer.alloc(0);

export interface Load {
  readonly port: number;
  /** One connection for each, which sends it again and again. */
  readonly requests: readonly Buffer[];
  readonly seconds: number;
}

export interface Answered {
  /** All with 200: any other answer rejects. */
  readonly answered: number;
  readonly seconds: number;
}

export async function keepBusy(load: Load): Promise<Answered> {
  const sockets = await Promise.all(
    load.requests.map(async (request) => {
      const socket = connect(load.port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return { socket, request };
    }),
  );
  const startMs = performance.now();
  const endMs = startMs + load.seconds * 1_000;
  let answered = 0;
  const goesOn = () => {
    answered += 1;
    return performance.now() < endMs;
  };
  try {
    await Promise.all(sockets.map(({ socket, request }) => keepAsking(socket, request, goesOn)));
    return { answered, seconds: (performance.now() - startMs) / 1_000 };
  } finally {
    for (const { socket } of sockets) socket.destroy();
  }
}

/** Asks again whenever the last answer is complete, as long as it goes on. */
function keepAsking(socket: Socket, request: Buffer, goesOn: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let waiting: Buffer = NOTHING;
  socket.on('data', (chunk: Buffer) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const bytes = answerBytes(waiting);
    if (bytes === null || waiting.length < bytes) return;
    if (!waiting.subarray(0, OK.length).equals(OK)) {
      reject(new Error(waiting.toString('latin1')));
      return;
    }
    waiting = NOTHING;
    if (goesOn()) socket.write(request);
    else resolve();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server closed a connection')));
  socket.write(request);
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
