/**
 * Requests that never become requests: broken HTTP, headers too large or too slow, CONNECT, and those that ask for the stream and
 * cannot become one. They too get the problem document, written straight to the socket, which then closes.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from '@tapeloom/protocol/problem';
import { PROBLEM_CONTENT_TYPE } from '@tapeloom/protocol/problem';
import { newRequestId } from '../../platform/request-id.ts';
import { problemDocument } from './problem-document.ts';
import { invalidParameters, ProblemError } from './problem-error.ts';

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  503: 'Service Unavailable',
};

export function answerSocketFaults(
  server: Server,
  docsUrl: () => string,
  /** Whether a part of another answer was written there. */
  hasBegunAnswer: (socket: Duplex) => boolean,
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // In the middle of an answer it would be taken for a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
      socket.destroy();
      return;
    }
    refuseOnSocket(socket, requestFault(error.code), docsUrl());
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const problem = new ProblemError('NOT_FOUND', 'CONNECT is not known here.', { status: 405 });
    refuseOnSocket(socket, problem, docsUrl());
  });
  // An expectation nobody understands may be ignored, and then the request is one like any other.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Writes the problem as a whole HTTP response and ends the connection. */
export function refuseOnSocket(socket: Duplex, problem: ProblemError, docsUrl: string): void {
  const document = problemDocument(problem, newRequestId(), docsUrl);
  const body = JSON.stringify(document);
  const lines = [
    `HTTP/1.1 ${document.status} ${STATUS_TEXTS[document.status] ?? document.title}`,
    ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
    ...headersOf(document).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function headersOf(document: Problem): [string, string][] {
  return [
    ['content-type', PROBLEM_CONTENT_TYPE],
    ['x-request-id', document.instance],
    ['connection', 'close'],
  ];
}

function requestFault(code: string | undefined): ProblemError {
  const message =
    code === 'HPE_HEADER_OVERFLOW'
      ? 'The header fields are larger than 16,384 bytes or more than 100.'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request took too long to arrive.'
        : 'The request is not HTTP/1.1 as it should be.';
  return invalidParameters([{ path: '', message }]);
}
