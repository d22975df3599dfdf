/**
 * The messages of some flushes, one after the other, as one block of memory: what a ring keeps. Read
 * back, every message has the bytes, id, flags and cursor it was published with. The collector of
 * garbage sees a single object where there were thousands, so a full ring slows nobody down.
 *
 * Layout: five 32-bit numbers per entry (end of its bytes, the cursor's day, rank and k, and what it
 * is), the distinct ids as a JSON array, the entries' bytes.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { Flush, type FrameEntry } from './flush.ts';

const COLUMNS = 5;
const KINDS: readonly FrameEntry['kind'][] = ['upsert', 'remove', 'snapshot'];
/** What an entry is: the place of its id, two bits for its kind, one for `final`. */
const ID_SHIFT = 8;

export class PackedFlush {
  readonly #block: Buffer;
  readonly #count: number;
  readonly #bytesStart: number;

  constructor({ entries, bytes }: Pick<Flush, 'entries' | 'bytes'>) {
    const places = new Map<string, number>();
    for (const { id } of entries) if (!places.has(id)) places.set(id, places.size);
    const ids = Buffer.from(JSON.stringify([...places.keys()]));
    const columnsBytes = entries.length * COLUMNS * 4;
    this.#count = entries.length;
    this.#bytesStart = columnsBytes + ids.length;
    const payloadBytes = entries.reduce((sum, { start, end }) => sum + end - start, 0);
    this.#block = Buffer.allocUnsafeSlow(this.#bytesStart + payloadBytes);
    this.#block.set(ids, columnsBytes);
    const columns = this.#columns;
    let column = 0;
    let at = 0;
    for (const { start, end, cursor, id, kind, final } of entries) {
      this.#block.set(bytes.subarray(start, end), this.#bytesStart + at);
      at += end - start;
      const { day, rank, k } = readCursor(cursor);
      columns[column] = at;
      columns[column + 1] = day;
      columns[column + 2] = rank;
      columns[column + 3] = k;
      columns[column + 4] = places.get(id)! * ID_SHIFT + KINDS.indexOf(kind) * 2 + (final ? 1 : 0);
      column += COLUMNS;
    }
  }

  /** All the memory it takes but for a small constant. */
  get blockBytes(): number {
    return this.#block.length;
  }

  /** The same messages as one flush; the bytes are shared, not copied. */
  unpack(namesMax: number): Flush {
    const columns = this.#columns;
    const idsText = this.#block.toString('utf8', this.#count * COLUMNS * 4, this.#bytesStart);
    const ids = JSON.parse(idsText) as string[];
    const entries: FrameEntry[] = [];
    let start = 0;
    for (let column = 0; column < columns.length; column += COLUMNS) {
      const end = columns[column]!;
      const what = columns[column + 4]!;
      entries.push({
        kind: KINDS[(what % ID_SHIFT) >> 1]!,
        id: ids[Math.trunc(what / ID_SHIFT)]!,
        final: what % 2 === 1,
        cursor: `${columns[column + 1]}.${columns[column + 2]}.${columns[column + 3]}`,
        start,
        end,
      });
      start = end;
    }
    return new Flush(entries, this.#block.subarray(this.#bytesStart), namesMax);
  }

  get #columns(): Uint32Array {
    return new Uint32Array(this.#block.buffer, 0, this.#count * COLUMNS);
  }
}

/** Several flushes as one; the bytes of a single one are shared, not copied. */
export function mergeFlushes(flushes: readonly Flush[], namesMax: number): Flush {
  const [only] = flushes;
  if (flushes.length === 1) return new Flush(only!.entries, only!.bytes, namesMax);
  const entries: FrameEntry[] = [];
  let at = 0;
  for (const flush of flushes) {
    for (const entry of flush.entries) {
      entries.push({ ...entry, start: entry.start + at, end: entry.end + at });
    }
    at += flush.bytes.length;
  }
  const bytes = Buffer.concat(flushes.map((flush) => flush.bytes));
  return new Flush(entries, bytes, namesMax);
}

/** A cursor that we have written ourselves: it is known to be one. */
export function readCursor(text: string): Cursor {
  const dot = text.indexOf('.', 9);
  return {
    day: Number(text.slice(0, 8)) as UtcDay,
    rank: Number(text.slice(9, dot)) as Rank,
    k: Number(text.slice(dot + 1)),
  };
}
