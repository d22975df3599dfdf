/**
 * Input that never becomes a request: broken HTTP, headers too large or too slow, CONNECT, and invalid handshakes for
 * the stream. It gets the problem document too, written straight to the socket, which then closes.
 */

import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_CONTENT_TYPE, type Problem } from '@tapeloom/protocol/problem';
import type { AnsweredRequest } from '../../../platform/log/access-log.ts';
import { newRequestId } from '../../../platform/request-id.ts';
import { problemDocument } from './problem-document.ts';
import { invalidParameters, ProblemError } from './problem-error.ts';

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  414: 'URI Too Long',
  503: 'Service Unavailable',
};

interface SocketFault extends NodeJS.ErrnoException {
  /** The last bytes read. */
  readonly rawPacket?: Buffer;
}

/** Shorter request lines fit beside any header field that was rejected for its size. */
const LINE_BYTES_MIN = 8_192;
/** The beginning of a request: its method and a blank. */
const REQUEST_LINE = /^[A-Z]{3,16} /;

/** How errors are written to a socket and reported. */
export interface SocketRefusals {
  readonly docsUrl: () => string;
  readonly onRefused: (request: AnsweredRequest) => void;
}

export function answerSocketFaults(
  server: Server,
  refusals: SocketRefusals,
  /** Whether a part of another answer was written there. */
  hasBegunAnswer: (socket: Duplex) => boolean,
): void {
  server.on('clientError', (error: SocketFault, socket: Duplex) => {
    // In the middle of an answer the client would take it for a part of that.
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
      socket.destroy();
      return;
    }
    refuseOnSocket(socket, requestFault(error), refusals);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const problem = new ProblemError('NOT_FOUND', 'CONNECT is not supported.', {
      status: 405,
      headers: { allow: 'GET, HEAD, POST, DELETE, OPTIONS' },
    });
    refuseOnSocket(socket, problem, refusals, request);
  });
}

/** Writes the problem as a whole HTTP response and ends the connection. Unparsed input has no `request`. */
export function refuseOnSocket(
  socket: Duplex,
  problem: ProblemError,
  { docsUrl, onRefused }: SocketRefusals,
  request: Pick<IncomingMessage, 'method' | 'url'> = {},
): void {
  const document = problemDocument(problem, newRequestId(), docsUrl());
  const { method = '', url = '' } = request;
  onRefused({
    ...{ id: document.instance, method, path: url.split('?', 1)[0]! },
    ...{ status: document.status, ms: 0, account: null, key: null },
  });
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

function requestFault({ code, rawPacket }: SocketFault): ProblemError {
  if (code === 'HPE_HEADER_OVERFLOW' && isAddressTooLong(rawPacket)) {
    const message = 'The address is longer than 16,384 bytes.';
    return invalidParameters([{ path: '', message }], { status: 414 });
  }
  const message =
    code === 'HPE_HEADER_OVERFLOW'
      ? 'The header fields are larger than 16,384 bytes or more than 100.'
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request took too long to arrive.'
        : 'The request is not valid HTTP/1.1.';
  return invalidParameters([{ path: '', message }]);
}

/** Whether the last bytes begin with a request line without end. One that came in pieces is not recognised. */
function isAddressTooLong(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const line = packet.indexOf('\r\n');
  return REQUEST_LINE.test(packet.toString('latin1', 0, 20)) && (line < 0 || line > LINE_BYTES_MIN);
}
