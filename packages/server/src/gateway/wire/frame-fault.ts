/**
 * Which code a connection was closed with when the library met a frame that must not be. The library
 * sends the close frame by itself and tells of the fault by a name only.
 */

import { CloseCode } from '@tapeloom/protocol/close-codes';

const CODES: Readonly<Record<string, CloseCode>> = {
  WS_ERR_INVALID_UTF8: CloseCode.invalidUtf8,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: CloseCode.tooManyMessages,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: CloseCode.messageTooBig,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: CloseCode.messageTooBig,
};

/** Null when it was no frame but the socket that failed. */
export function frameFaultCode({ code = '' }: NodeJS.ErrnoException): CloseCode | null {
  return code.startsWith('WS_ERR_') ? (CODES[code] ?? CloseCode.protocolError) : null;
}
