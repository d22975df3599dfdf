/**
 * `Expect: 100-continue`: the client sends its body only on request, once it is admitted and the body is known to be
 * small enough. A request rejected before that sends none, and its connection closes.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Requests whose bodies were not requested yet. */
const awaited = new WeakSet<IncomingMessage>();

/** Without this handler the server would request every body at once. */
export function awaitExpectedBodies(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaited.add(request);
    server.emit('request', request, response);
  });
  // An unknown expectation may be ignored; the request is then an ordinary one.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Whether the client still waits for the request to send its body. */
export function isBodyAwaited(request: IncomingMessage): boolean {
  return awaited.has(request);
}

/** Requests the body, unless it is announced to be larger than this. */
export function askForBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): void {
  if (!awaited.has(request) || Number(request.headers['content-length'] ?? 0) > bytesMax) return;
  awaited.delete(request);
  response.writeContinue();
}
