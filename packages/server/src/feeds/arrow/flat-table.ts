/**
 * A table of FlatBuffers, which describes Arrow files. Nothing in it is trusted: an offset is followed only if its
 * target lies inside the bytes, and a list is counted only if all of it does.
 */

import { FeedError } from '../feed-trades.ts';

const SIZES = { u8: 1, i16: 2, i32: 4, i64: 8 } as const;
type Kind = keyof typeof SIZES;
/** Longer than any name of a column or a zone. */
const TEXT_BYTES_MAX = 4_096;

export interface FlatStructs {
  readonly count: number;
  /** An integer inside the structure of this index; rejects integers beyond 2^53. */
  number(index: number, offset: number, kind: Kind): number;
}

export class FlatTable {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #at: number;
  readonly #fieldsAt: number;
  readonly #fieldsEnd: number;

  private constructor(bytes: Uint8Array, view: DataView, at: number) {
    this.#bytes = bytes;
    this.#view = view;
    this.#at = at;
    this.#need(at, 4);
    const layoutAt = at - view.getInt32(at, true);
    this.#need(layoutAt, 4);
    this.#fieldsAt = layoutAt + 4;
    this.#fieldsEnd = layoutAt + view.getUint16(layoutAt, true);
    this.#need(layoutAt, this.#fieldsEnd - layoutAt);
  }

  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < 4) throw damaged();
    return new FlatTable(bytes, view, view.getUint32(0, true));
  }

  /** An integer, or `missing` if the table does not have it; rejects integers beyond 2^53. */
  number(field: number, kind: Kind, missing = 0): number {
    const at = this.#placeOf(field);
    return at === null ? missing : this.#number(at, kind);
  }

  table(field: number): FlatTable | null {
    const at = this.#target(field);
    return at === null ? null : new FlatTable(this.#bytes, this.#view, at);
  }

  /** Truncates very long texts. */
  text(field: number): string | null {
    const at = this.#target(field);
    if (at === null) return null;
    const bytes = Math.min(this.#count(at, 1), TEXT_BYTES_MAX);
    return Buffer.from(this.#bytes.subarray(at + 4, at + 4 + bytes)).toString('utf8');
  }

  /** The tables of a list, created on demand. */
  *tables(field: number): Generator<FlatTable> {
    const at = this.#target(field);
    if (at === null) return;
    const count = this.#count(at, 4);
    for (let index = 0; index < count; index += 1) {
      const place = at + 4 + index * 4;
      yield new FlatTable(this.#bytes, this.#view, place + this.#view.getUint32(place, true));
    }
  }

  structs(field: number, bytes: number): FlatStructs {
    const at = this.#target(field);
    if (at === null) return { count: 0, number: () => 0 };
    return {
      count: this.#count(at, bytes),
      number: (index, offset, kind) => this.#number(at + 4 + index * bytes + offset, kind),
    };
  }

  /** The position of a field; null if it is absent. */
  #placeOf(field: number): number | null {
    const at = this.#fieldsAt + field * 2;
    if (at + 2 > this.#fieldsEnd) return null;
    const offset = this.#view.getUint16(at, true);
    return offset === 0 ? null : this.#at + offset;
  }

  /** The position that a field refers to. */
  #target(field: number): number | null {
    const at = this.#placeOf(field);
    if (at === null) return null;
    this.#need(at, 4);
    return at + this.#view.getUint32(at, true);
  }

  /** The number of items of a list, all of which must be inside the bytes. */
  #count(at: number, bytes: number): number {
    this.#need(at, 4);
    const count = this.#view.getUint32(at, true);
    this.#need(at + 4, count * bytes);
    return count;
  }

  #number(at: number, kind: Kind): number {
    this.#need(at, SIZES[kind]);
    switch (kind) {
      case 'u8':
        return this.#view.getUint8(at);
      case 'i16':
        return this.#view.getInt16(at, true);
      case 'i32':
        return this.#view.getInt32(at, true);
      case 'i64': {
        const value = Number(this.#view.getBigInt64(at, true));
        if (!Number.isSafeInteger(value)) throw damaged();
        return value;
      }
      default:
        return kind satisfies never;
    }
  }

  #need(at: number, bytes: number): void {
    if (at < 0 || bytes < 0 || at + bytes > this.#bytes.length) throw damaged();
  }
}

function damaged(): FeedError {
  return new FeedError(
    'The Arrow file is damaged: its description leads to where nothing is described.',
  );
}
