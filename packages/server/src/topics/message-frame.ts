/** One message as a complete WebSocket frame. Equal subscriptions share it, and its held form. */

import type { ServerMessage } from '@tapeloom/protocol/server-messages';

export type MessageKind = ServerMessage['t'];

/**
 * The form in which a message is held until its reader takes it. A text of one character per byte costs some tens of
 * bytes beside its content, a buffer some hundreds, and a view of a flush's shared bytes would keep all of them alive.
 */
export interface HeldFrame {
  readonly kind: MessageKind;
  readonly sub: string | null;
  readonly text: string;
}

export class MessageFrame {
  readonly kind: MessageKind;
  /** Null when it concerns the connection as a whole. */
  readonly sub: string | null;
  readonly bytes: Buffer;
  /** The same for all versions of an object; null for messages without versions. */
  readonly versionKey: string | null;
  #held: HeldFrame | null = null;

  /** `id`: the object's, empty for all but an `upsert` or a `remove`. */
  constructor(kind: MessageKind, sub: string | null, id: string, bytes: Buffer) {
    this.kind = kind;
    this.sub = sub;
    this.bytes = bytes;
    this.versionKey = kind === 'upsert' || kind === 'remove' ? `${id}\n${sub}` : null;
  }

  /** Always the same instance. */
  get held(): HeldFrame {
    this.#held ??= { kind: this.kind, sub: this.sub, text: this.bytes.toString('latin1') };
    return this.#held;
  }
}
