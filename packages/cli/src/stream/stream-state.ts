/**
 * What a customer knows of one subscription: the messages of a stream folded into state, as any client
 * must do it. A snapshot replaces everything; an update counts only when its cursor is new. Of very many
 * objects the oldest final ones are forgotten.
 */

import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { ServerMessage, StreamObject } from '@tapeloom/protocol/server-messages';
import type { StreamState as State } from '@tapeloom/protocol/status-states';

/** More than any screen shows; a stream that is watched for weeks must not fill the memory. */
const OBJECTS_MAX = 20_000;

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export class StreamState {
  contract: string | null = null;
  tickSizeNanos = 1_000_000_000;
  state: State | null = null;
  lagMs = 0;
  /** The service's time when it last said it, nanoseconds since 1970. */
  serverNs: bigint | null = null;
  refusal: Refusal | null = null;
  hasSnapshot = false;
  /** By id, in the order of creation. */
  readonly objects = new Map<string, StreamObject>();
  #cursor: string | null = null;

  /** Takes a message in and returns the objects it made final that were not known as final before. */
  take(message: ServerMessage): readonly StreamObject[] {
    switch (message.t) {
      case 'subscribed':
        this.contract = message.contract;
        this.tickSizeNanos = message.tickSizeNanos;
        return [];
      case 'status':
        this.state = message.state;
        this.lagMs = message.lagMs;
        return [];
      case 'snapshot':
        this.objects.clear();
        for (const item of message.items) this.objects.set(item.id, item);
        this.#cursor = message.cursor;
        this.hasSnapshot = true;
        return message.items.filter((item) => item.final);
      case 'upsert':
        return this.#isNew(message.cursor) ? this.#upsert(message) : [];
      case 'remove':
        if (this.#isNew(message.cursor)) this.objects.delete(message.id);
        return [];
      case 'reset':
        this.objects.clear();
        this.#cursor = null;
        this.hasSnapshot = false;
        return [];
      case 'hb':
      case 'pong':
        this.serverNs = BigInt(message.ts);
        return [];
      case 'error':
        this.refusal = message;
        return [];
      default:
        // A client passes over what it does not know, so that the interface can grow.
        return [];
    }
  }

  #upsert({ id, final, ts, data }: StreamObject): readonly StreamObject[] {
    const object = { id, final, ts, data };
    const wasFinal = this.objects.get(id)?.final === true;
    this.objects.set(id, object);
    if (this.objects.size > OBJECTS_MAX) this.#forgetOldest();
    return final && !wasFinal ? [object] : [];
  }

  #forgetOldest(): void {
    const oldest = this.objects.values().find((object) => object.final);
    if (oldest !== undefined) this.objects.delete(oldest.id);
  }

  #isNew(text: string): boolean {
    const cursor = parseCursor(text);
    const last = this.#cursor === null ? null : parseCursor(this.#cursor);
    if (cursor === null || (last !== null && compareCursors(cursor, last) <= 0)) return false;
    this.#cursor = text;
    return true;
  }
}
