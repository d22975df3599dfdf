/**
 * Settings of every WebSocket of the service. A message has at most 64 KiB and 1,024 fragments, and nothing is ever
 * inflated. A closing socket is gone in less than a second, whatever its peer does, so a peer that neither reads nor
 * answers holds nothing of ours. Only a slow consumer gets longer: otherwise it could never read the close frame.
 */

import type { Duplex } from 'node:stream';
import { MESSAGE_BYTES_MAX } from '@tapeloom/protocol/client-messages';
import { WebSocket } from 'ws';

/** Fragments of one message; `ws` closes with 1008 beyond. */
export const FRAGMENTS_MAX = 1_024;
/** From our close frame to the socket's end, whatever the peer does. A revoked key's streams must end in a second. */
const CLOSE_WITHIN_MS = 800;
/** The same for a slow consumer. */
export const SLOW_CLOSE_WITHIN_MS = 10_000;

/** `ws` waits equally long at every close. This class waits that long only when `waitsAtClose` is set. */
export class StreamWebSocket extends WebSocket {
  waitsAtClose = false;
  /** Nothing may follow a close frame, so the queued output is written before it. */
  writer: { release(): void } | null = null;
  #limit: NodeJS.Timeout | null = null;

  /** Called by `ws` too, when the peer closes or its frames are bad. */
  override close(code?: number, reason?: string | Buffer): void {
    if (this.readyState === WebSocket.OPEN) this.writer?.release();
    super.close(code, reason);
    if (this.waitsAtClose || this.#limit !== null || this.readyState === WebSocket.CLOSED) return;
    this.#limit = setTimeout(() => this.terminate(), CLOSE_WITHIN_MS);
    this.once('close', () => clearTimeout(this.#limit!));
  }
}

export const SOCKET_SETTINGS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // The stream has no subprotocols, and agrees to none.
  handleProtocols: () => false as const,
  maxPayload: MESSAGE_BYTES_MAX,
  maxFragments: FRAGMENTS_MAX,
  skipUTF8Validation: false,
  closeTimeout: SLOW_CLOSE_WITHIN_MS,
  WebSocket: StreamWebSocket,
};

/**
 * `ws` limits the time only after a close frame. A peer that ends its side without one, and reads nothing of the
 * pending output, would keep the socket for ever.
 */
export function limitGoodbye(socket: Duplex): void {
  socket.once('end', () => {
    const timer = setTimeout(() => socket.destroy(), CLOSE_WITHIN_MS);
    socket.once('close', () => clearTimeout(timer));
  });
}
