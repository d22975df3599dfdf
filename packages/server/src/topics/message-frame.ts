/**
 * One message as a complete WebSocket frame, and what it is about. All that have equal subscriptions share
 * one of them, and so do those of them that are behind what they keep of it.
 */

import type { ServerMessage } from '@tapeloom/protocol/server-messages';

export type MessageKind = ServerMessage['t'];

/**
 * What is kept of a message until its reader takes it. A text of one character per byte costs some tens of
 * bytes beside its content, a buffer some hundreds, and a part of a flush's shared bytes would keep all of
 * them alive.
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
  /** The same for all versions of an object, null for what has no versions. */
  readonly versionKey: string | null;
  #held: HeldFrame | null = null;

  /** `id`: the object's, empty for all but an `upsert` or a `remove`. */
  constructor(kind: MessageKind, sub: string | null, id: string, bytes: Buffer) {
    this.kind = kind;
    this.sub = sub;
    this.bytes = bytes;
    this.versionKey = kind === 'upsert' || kind === 'remove' ? `${id}\n${sub}` : null;
  }

  /** The same one however often it is asked for. */
  get held(): HeldFrame {
    this.#held ??= { kind: this.kind, sub: this.sub, text: this.bytes.toString('latin1') };
    return this.#held;
  }
}
