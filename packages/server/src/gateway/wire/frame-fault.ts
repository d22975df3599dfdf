/** The close code for an invalid frame. `ws` sends the close frame by itself and reports only an error name. */

import { CloseCode } from '@tapeloom/protocol/close-codes';

const CODES: Readonly<Record<string, CloseCode>> = {
  WS_ERR_INVALID_UTF8: CloseCode.invalidUtf8,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: CloseCode.tooManyMessages,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: CloseCode.messageTooBig,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: CloseCode.messageTooBig,
};

/** Null when the socket failed, and not a frame. */
export function frameFaultCode({ code = '' }: NodeJS.ErrnoException): CloseCode | null {
  return code.startsWith('WS_ERR_') ? (CODES[code] ?? CloseCode.protocolError) : null;
}
