/**
 * Collects the updates of one day. Each is encoded once, into memory that is reused for the next block. A taken block
 * owns exactly the memory it needs, so that it can move to another thread. An idle writer holds little memory: the
 * buffer of a large block passes to the next writer of the thread that needs it.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { encodeRemoved, encodeVersion } from '@tapeloom/core/studies/published-objects';
import type { Mark, ObjectVersion } from '@tapeloom/core/studies/study';
import { KIB } from '@tapeloom/core/units';
import { freeMemory } from '../platform/memory/free-memory.ts';
import { type Block, emptyBlock, flagsOf, OPENINGS, type UpdateKind } from './block.ts';

/** Bytes of a UTF-16 unit in UTF-8, at most. */
const UNIT_BYTES_MAX = 3;
const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;

/** The buffer of an earlier large block; a full garbage collection may free it. */
let spare: WeakRef<Buffer> | null = null;

export class BlockWriter implements Disposable {
  readonly #textBytes: number;
  readonly #updates: number;
  #text: Buffer;
  #fromNs: Float64Array<ArrayBuffer>;
  /** Ends, ranks and ks: three values per update. */
  #places: Uint32Array<ArrayBuffer>;
  #flags: Uint8Array<ArrayBuffer>;
  #size = 0;
  #count = 0;

  /** Grows on demand, and returns to these initial sizes after each block. */
  constructor(textBytes = 256 * KIB, updates = 4_096) {
    this.#textBytes = textBytes;
    this.#updates = updates;
    this.#text = Buffer.allocUnsafeSlow(textBytes);
    this.#fromNs = new Float64Array(updates);
    this.#places = new Uint32Array(3 * updates);
    this.#flags = new Uint8Array(updates);
  }

  get count(): number {
    return this.#count;
  }

  get textBytes(): number {
    return this.#size;
  }

  upsert(version: ObjectVersion, at: Readonly<Mark>, fromNs: number): void {
    this.add('upsert', version.final, at, encodeVersion(version), fromNs);
  }

  remove(id: string, final: boolean, ts: string, at: Readonly<Mark>, fromNs: number): void {
    this.add('remove', final, at, encodeRemoved(id, final, ts), fromNs);
  }

  /** `members`: the JSON text of the fields after the cursor. */
  add(
    kind: UpdateKind,
    isFinal: boolean,
    { day, rank, k }: Readonly<Mark>,
    members: string,
    fromNs: number,
  ): void {
    const opening = `${OPENINGS[kind]},"cursor":"${day}.${rank}.${k}",`;
    const sizeMax = this.#size + (opening.length + members.length + '}\n'.length) * UNIT_BYTES_MAX;
    if (sizeMax > this.#text.length) this.#growText(sizeMax);
    if (this.#count === this.#flags.length) this.#growColumns();
    const text = this.#text;
    let size = this.#size;
    size += text.write(opening, size, 'latin1');
    size += text.write(members, size);
    text[size] = CLOSING_BRACE;
    text[size + 1] = LINE_FEED;
    this.#size = size + 2;
    const at = this.#count;
    this.#fromNs[at] = fromNs;
    this.#places[3 * at] = this.#size;
    this.#places[3 * at + 1] = rank;
    this.#places[3 * at + 2] = k;
    this.#flags[at] = flagsOf(kind, isFinal);
    this.#count = at + 1;
  }

  clear(): void {
    this.#size = 0;
    this.#count = 0;
  }

  /** Returns the updates, all of this day, as a block. `fromNs` applies to all if it was not known before. */
  take(day: UtcDay, fromNs?: number): Block {
    const count = this.#count;
    const block = emptyBlock(day, count, this.#size);
    for (let at = 0; at < count; at += 1) {
      block.ends[at] = this.#places[3 * at]!;
      block.ranks[at] = this.#places[3 * at + 1]!;
      block.ks[at] = this.#places[3 * at + 2]!;
      block.fromNs[at] = fromNs ?? this.#fromNs[at]!;
      block.flags[at] = this.#flags[at]!;
    }
    block.text.set(this.#text.subarray(0, this.#size));
    this.clear();
    this.#shrink();
    return block;
  }

  [Symbol.dispose](): void {
    for (const { buffer } of [this.#text, this.#fromNs, this.#places, this.#flags]) {
      freeMemory(buffer);
    }
  }

  #growText(sizeMin: number): void {
    const larger =
      takeSpare(sizeMin) ?? Buffer.allocUnsafeSlow(Math.max(sizeMin, this.#text.length * 2));
    this.#text.copy(larger, 0, 0, this.#size);
    freeMemory(this.#text.buffer);
    this.#text = larger;
  }

  #shrink(): void {
    if (this.#text.length > this.#textBytes) {
      giveSpare(this.#text);
      this.#text = Buffer.allocUnsafeSlow(this.#textBytes);
    }
    if (this.#flags.length > this.#updates) {
      this.#fromNs = new Float64Array(this.#updates);
      this.#places = new Uint32Array(3 * this.#updates);
      this.#flags = new Uint8Array(this.#updates);
    }
  }

  #growColumns(): void {
    const length = this.#flags.length * 2;
    const before = { fromNs: this.#fromNs, places: this.#places, flags: this.#flags };
    this.#fromNs = new Float64Array(length);
    this.#places = new Uint32Array(3 * length);
    this.#flags = new Uint8Array(length);
    this.#fromNs.set(before.fromNs);
    this.#places.set(before.places);
    this.#flags.set(before.flags);
  }
}

function takeSpare(sizeMin: number): Buffer | null {
  const room = spare?.deref();
  if (room === undefined || room.length < sizeMin) return null;
  spare = null;
  return room;
}

/** Keeps the larger buffer. */
function giveSpare(room: Buffer): void {
  const other = spare?.deref();
  const isLarger = other === undefined || room.length > other.length;
  if (isLarger) spare = new WeakRef(room);
  const rest = isLarger ? other : room;
  if (rest !== undefined) freeMemory(rest.buffer);
}
