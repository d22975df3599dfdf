/** How a client reacts to each way in which a server closes a connection. */

import { CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import { TapeloomError } from '../tapeloom-error.ts';

/** The code of a connection that ended without a close frame. */
export const LOST = 1006;

/** Why a connection ended, for people; empty if unknown. */
export function lossText({
  code,
  reason,
}: {
  readonly code: number;
  readonly reason: string;
}): string {
  if (code === LOST) return reason;
  return reason === '' ? `closed with ${code}` : `${reason} (${code})`;
}

/** The reason for the client to stop; null if it should reconnect. */
export function stopError(code: number, reason: string): TapeloomError | null {
  switch (code) {
    case CloseCode.protocolError:
      return stopped('PROTOCOL_ERROR', 'The server refused a frame of this client', reason);
    case CloseCode.binaryRefused:
      return stopped('BINARY_NOT_SUPPORTED', 'The server refused a binary message', reason);
    case CloseCode.invalidUtf8:
      return stopped('INVALID_UTF8', 'The server refused a text that is not UTF-8', reason);
    case CloseCode.messageTooBig:
      return stopped('MESSAGE_TOO_BIG', 'The server refused a message for its size', reason);
    case CloseCode.unauthorized:
      return stopped('UNAUTHORIZED', 'The key or token is not valid', reason);
    case CloseCode.forbidden:
      return forbidden(reason);
    default:
      return null;
  }
}

function forbidden(reason: string): TapeloomError {
  switch (reason) {
    case CloseReason.keyRevoked:
      return stopped(reason, 'The key was revoked or has expired');
    case CloseReason.entitlementsChanged:
      return stopped(reason, "The account's offers no longer cover this connection");
    default:
      return stopped('FORBIDDEN', 'The key may not stream from here', reason);
  }
}

function stopped(code: string, why: string, said = ''): TapeloomError {
  return new TapeloomError(code, said === '' ? `${why}.` : `${why}: ${said}.`);
}
