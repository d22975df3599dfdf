/** What a request needs to become a stream (RFC 6455, version 13). An invalid one gets a problem document. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { hostFault } from './problems/host-fault.ts';
import { invalidParameters, ProblemError } from './problems/problem-error.ts';
import { refuseOnSocket, type SocketRefusals } from './problems/socket-faults.ts';

const VERSION = '13';
/** 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** Names of subprotocols, each once at most. */
const PROTOCOL_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Hands over valid handshakes, and rejects the others. */
export function handshakesOnly(onUpgrade: OnUpgrade, refusals: SocketRefusals): OnUpgrade {
  return (request, socket, head) => {
    const fault = handshakeFault(request);
    if (fault === null) onUpgrade(request, socket, head);
    else refuseOnSocket(socket, fault, refusals, request);
  };
}

/** Why this handshake cannot become a stream; null when it can. */
function handshakeFault(request: IncomingMessage): ProblemError | null {
  const { method, headers } = request;
  if (method !== 'GET') {
    const message = `A stream is opened with GET, not ${method}.`;
    return new ProblemError('NOT_FOUND', message, { status: 405, headers: { allow: 'GET' } });
  }
  const host = hostFault(request);
  if (host !== null) return host;
  if (headers['sec-websocket-version'] !== VERSION) {
    const message = `The header Sec-WebSocket-Version must be ${VERSION}.`;
    const known = { 'sec-websocket-version': VERSION };
    return invalidParameters([{ path: '', message }], { headers: known });
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    const message = 'The header Sec-WebSocket-Key must hold 16 bytes in base64.';
    return invalidParameters([{ path: '', message }]);
  }
  if (!areProtocols(headers['sec-websocket-protocol'])) {
    const message = 'The header Sec-WebSocket-Protocol must be a list of different names.';
    return invalidParameters([{ path: '', message }]);
  }
  return null;
}

function areProtocols(header: string | undefined): boolean {
  if (header === undefined) return true;
  const names = header.split(',').map((name) => name.trim());
  return new Set(names).size === names.length && names.every((name) => PROTOCOL_NAME.test(name));
}
