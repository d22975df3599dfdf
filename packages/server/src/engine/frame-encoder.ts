/**
 * Collects the messages of one flush as bytes, each encoded once and without its opening up to `sub`:
 * what is here is the same for every subscriber. The bytes own their memory, so that they can move to
 * another thread without a copy.
 */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import type { FrameEntry } from '../topics/flush.ts';
import type { EncodedObject } from './session-objects.ts';

export interface EncodedFlush {
  readonly entries: readonly FrameEntry[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class FrameEncoder {
  #texts: string[] = [];
  #entries: FrameEntry[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  upsert(id: string, object: EncodedObject, cursor: Cursor): void {
    const text = formatCursor(cursor);
    this.#add('upsert', id, object.final, text, `,"cursor":"${text}",${object.body}`);
  }

  remove(id: string, final: boolean, ts: string, cursor: Cursor): void {
    const text = formatCursor(cursor);
    const fields = `"id":${JSON.stringify(id)},"final":${final},"ts":"${ts}"`;
    this.#add('remove', id, final, text, `,"cursor":"${text}",${fields}}`);
  }

  snapshot(items: readonly EncodedObject[], cursor: Cursor): void {
    const text = formatCursor(cursor);
    const list = items.map((item) => `{${item.body}`).join(',');
    this.#add('snapshot', '', false, text, `,"cursor":"${text}","items":[${list}]}`);
  }

  /** Hands over what was collected and starts afresh. */
  take(): EncodedFlush {
    const bytes = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const text of this.#texts) at += bytes.write(text, at);
    const flush = { entries: this.#entries, bytes };
    this.#texts = [];
    this.#entries = [];
    this.#bytes = 0;
    return flush;
  }

  #add(kind: FrameEntry['kind'], id: string, final: boolean, cursor: string, text: string): void {
    const start = this.#bytes;
    const end = start + Buffer.byteLength(text);
    this.#texts.push(text);
    this.#entries.push({ kind, id, final, cursor, start, end });
    this.#bytes = end;
  }
}

export function encodeObject({ id, final, ts, data }: ObjectVersion): EncodedObject {
  const body = `"id":${JSON.stringify(id)},"final":${final},"ts":"${ts}","data":${JSON.stringify(data)}}`;
  return { body, final, bytes: Buffer.byteLength(body) + 2 };
}
