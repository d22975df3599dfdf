/**
 * Pending output of a reader that is behind. While little is pending on the socket itself, the outbox is empty and
 * every message goes to the socket at once. From then on messages are held here, one by one. The bytes pending on the
 * socket and here, with the next message, stay below `bytesMax`.
 */

import { MIB } from '@tapeloom/core/units';
import type { EncodedFrames } from '../../topics/flush.ts';
import type { HeldFrame, MessageFrame } from '../../topics/message-frame.ts';

export interface OutboxLimits {
  /** From this many pending bytes on, messages are held here and versions skipped. */
  readonly skipFromBytes: number;
  /** The pending bytes stay below this number. */
  readonly bytesMax: number;
}

export const OUTBOX_LIMITS: OutboxLimits = { skipFromBytes: 262_144, bytesMax: MIB };

/** `at-once`: it belongs on the socket now; `over`: the limit is reached, the message is not held. */
export type OutboxVerdict = 'at-once' | 'held' | 'over';

/** Shared by readers that were never behind; must stay empty. */
const NOTHING_HELD = new Map<string | number, HeldFrame>();

/**
 * 1. A newer version of an object (an `upsert` or a `remove`) deletes the one held and goes to the end. It never takes
 *    the older one's position: cursors of a subscription ascend, so a client may resume from any of them, and a last
 *    version, `remove` included, always arrives.
 * 2. An `hb` states that the client has everything up to its cursor. Of each subscription only the newest is held,
 *    behind the frames of its flush, and skipping a version deletes it.
 * 3. Nothing else is ever skipped. When a subscription ends, its held messages are deleted, except `error`s, which
 *    answer messages of the client.
 */
export class Outbox {
  readonly #limits: OutboxLimits;
  /** In the order of sending. Versions and `hb`s have a text as their key, all others a number. */
  #held = NOTHING_HELD;
  #bytes = 0;
  #lastNumber = 0;

  constructor(limits: OutboxLimits = OUTBOX_LIMITS) {
    this.#limits = limits;
  }

  /** The bytes held; 0 means that nothing is. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether this much may go to the socket as it is, without inspecting its messages. */
  lets(bytes: number, socketBytes: number): boolean {
    return this.#bytes === 0 && socketBytes + bytes < this.#limits.skipFromBytes;
  }

  /** Takes the next message; `socketBytes`: the bytes pending on the socket itself. */
  pass(message: MessageFrame, socketBytes: number): OutboxVerdict {
    const { kind, sub, bytes } = message;
    const key = this.#keyOf(message);
    if (this.#delete(key) && kind !== 'hb') this.#delete(beatKey(sub));
    if (socketBytes + this.#bytes + bytes.length >= this.#limits.bytesMax) return 'over';
    if (this.#bytes === 0 && socketBytes < this.#limits.skipFromBytes) return 'at-once';
    if (this.#held === NOTHING_HELD) this.#held = new Map();
    this.#held.set(key, message.held);
    this.#bytes += bytes.length;
    return 'held';
  }

  /** The next frames for the socket; null when nothing is held or enough is pending there. */
  take(socketBytes: number): EncodedFrames | null {
    return this.#take(this.#limits.skipFromBytes - socketBytes);
  }

  /** All that is held, for a socket about to be closed. */
  takeAll(): EncodedFrames | null {
    return this.#take(Number.POSITIVE_INFINITY);
  }

  /** Deletes all that is held of an ended subscription, except `error`s. */
  endSubscription(sub: string): void {
    for (const [key, message] of this.#held) {
      if (message.sub === sub && message.kind !== 'error') this.#delete(key);
    }
  }

  clear(): void {
    this.#held.clear();
    this.#bytes = 0;
  }

  /** Whole messages from the front, until they fill this many bytes. */
  #take(bytesMin: number): EncodedFrames | null {
    const texts: string[] = [];
    let total = 0;
    for (const [key, { text }] of this.#held) {
      if (total >= bytesMin) break;
      texts.push(text);
      total += text.length;
      this.#delete(key);
    }
    if (texts.length === 0) return null;
    const bytes = Buffer.allocUnsafe(total);
    let at = 0;
    for (const text of texts) at += bytes.write(text, at, 'latin1');
    return { bytes, messages: texts.length };
  }

  #delete(key: string | number): boolean {
    const message = this.#held.get(key);
    if (message === undefined) return false;
    this.#bytes -= message.text.length;
    return this.#held.delete(key);
  }

  #keyOf({ kind, sub, versionKey }: MessageFrame): string | number {
    if (versionKey !== null) return versionKey;
    if (kind === 'hb') return beatKey(sub);
    this.#lastNumber += 1;
    return this.#lastNumber;
  }
}

/** Differs from every object's key, since no object has an empty id. */
function beatKey(sub: string | null): string {
  return `\n${sub ?? ''}`;
}
