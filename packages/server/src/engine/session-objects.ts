/**
 * The objects of the current session in their newest published version, encoded once. After a flush
 * this is exactly the state at the flush's edge, so a snapshot costs no computing: its content and its
 * cursor come from one position. Old final objects beyond what a snapshot can carry are let go.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';

/** A snapshot message is never longer than this. */
export const SNAPSHOT_BYTES_MAX = 524_288;
export const OBJECTS_MAX = 5_000;
/** Room for what surrounds the items: kind, subscription name, cursor. */
const ENVELOPE_BYTES = 1_024;
const ITEMS_BYTES_MAX = SNAPSHOT_BYTES_MAX - ENVELOPE_BYTES;

/** One version of an object; `body` is its JSON without the opening brace. */
export interface EncodedObject {
  readonly body: string;
  readonly final: boolean;
  readonly bytes: number;
}

export class SessionObjects {
  /** By id, in the order of creation. */
  readonly #objects = new Map<string, EncodedObject>();
  #finalBytes = 0;

  set(id: string, object: EncodedObject): void {
    const before = this.#objects.get(id);
    if (before?.final === true) this.#finalBytes -= before.bytes;
    this.#objects.set(id, object);
    if (!object.final) return;
    this.#finalBytes += object.bytes;
    while (this.#finalBytes > ITEMS_BYTES_MAX || this.#objects.size > OBJECTS_MAX) {
      if (!this.#letGoOldestFinal()) return;
    }
  }

  delete(id: string): void {
    const object = this.#objects.get(id);
    if (object?.final === true) this.#finalBytes -= object.bytes;
    this.#objects.delete(id);
  }

  clear(): void {
    this.#objects.clear();
    this.#finalBytes = 0;
  }

  /** The newest objects by creation, in that order: at most `depth`, and what a snapshot can carry. */
  newest(depth: number, mode: StreamMode): readonly EncodedObject[] {
    const newest: EncodedObject[] = [];
    let bytes = 0;
    for (const object of [...this.#objects.values()].reverse()) {
      if (mode === 'confirmed' && !object.final) continue;
      bytes += object.bytes;
      if (newest.length >= depth || bytes > ITEMS_BYTES_MAX) break;
      newest.push(object);
    }
    return newest.reverse();
  }

  #letGoOldestFinal(): boolean {
    for (const [id, object] of this.#objects) {
      if (!object.final) continue;
      this.delete(id);
      return true;
    }
    return false;
  }
}
