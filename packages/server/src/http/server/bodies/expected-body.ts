/**
 * `Expect: 100-continue`: the client sends its body only when it is told to. It is told so once the request was let in and the body is
 * known to be small enough; a request that is refused before that never sends one, and its connection closes.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Requests whose bodies were not asked for yet. */
const awaited = new WeakSet<IncomingMessage>();

/** The server would ask for every body at once, whoever sends it. */
export function awaitExpectedBodies(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaited.add(request);
    server.emit('request', request, response);
  });
  // An expectation nobody understands may be ignored, and then the request is one like any other.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Whether the client still waits to be asked for the body. */
export function isBodyAwaited(request: IncomingMessage): boolean {
  return awaited.has(request);
}

/** Asks for the body, unless it is announced to be larger than this. */
export function askForBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): void {
  if (!awaited.has(request) || Number(request.headers['content-length'] ?? 0) > bytesMax) return;
  awaited.delete(request);
  response.writeContinue();
}
