/**
 * What every WebSocket of the service is made with. A message has at most 64 KiB and 1,024 fragments,
 * nothing is ever inflated, and a socket that is closing is gone in less than a second, whatever its
 * peer does: a peer that neither reads nor answers keeps nothing of ours.
 */

import type { Duplex } from 'node:stream';
import { MESSAGE_BYTES_MAX } from '@tapeloom/protocol/client-messages';

/** Fragments of one message; `ws` closes with 1008 beyond. */
const FRAGMENTS_MAX = 1_024;
/** From our close frame to the end of the socket, whatever the peer does: less than the second in which
 * a key that was revoked must be gone. */
const CLOSE_WITHIN_MS = 800;

export const SOCKET_SETTINGS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MESSAGE_BYTES_MAX,
  maxFragments: FRAGMENTS_MAX,
  skipUTF8Validation: false,
  closeTimeout: CLOSE_WITHIN_MS,
};

/** `ws` limits the time from a close frame on. A peer that ends its side without one, and reads nothing
 * of what still waits, would keep the socket for ever. */
export function limitGoodbye(socket: Duplex): void {
  socket.once('end', () => {
    const timer = setTimeout(() => socket.destroy(), CLOSE_WITHIN_MS);
    socket.once('close', () => clearTimeout(timer));
  });
}
