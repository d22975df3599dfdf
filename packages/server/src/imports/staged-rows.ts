/**
 * Holds trades of many contracts and days until their file is read completely. Rows are collected in memory; when they
 * become many, they are spilled to one staging file. So memory stays flat for any length and order of a file.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DayRows } from '../feeds/day-rows.ts';
import type { Disk, DiskFile } from '../platform/disk/disk.ts';
import { freeMemory } from '../platform/memory/free-memory.ts';

const ROW_BYTES = 8 + 4 + 4 + 1;

interface StagedDay {
  readonly symbol: string;
  readonly day: UtcDay;
  rows: DayRows;
  readonly chunks: { readonly position: number; readonly count: number }[];
}

export class StagedRows implements AsyncDisposable {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #days = new Map<string, Map<UtcDay, StagedDay>>();
  #file: DiskFile | null = null;
  #position = 0;

  /** The file is created when needed; its directory exists. */
  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The rows to which trades of a contract and day are added, until the next `spill`. */
  rowsOf(symbol: string, day: UtcDay): DayRows {
    return this.#dayOf(symbol, day).rows;
  }

  symbols(): readonly string[] {
    return [...this.#days.keys()].sort();
  }

  /** Days with trades, ascending. */
  daysOf(symbol: string): readonly UtcDay[] {
    return [...(this.#days.get(symbol)?.keys() ?? [])].sort((a, b) => a - b);
  }

  /** Writes all rows from memory to disk. Rows returned earlier must not be used afterwards. */
  async spill(): Promise<void> {
    this.#file ??= await this.#disk.open(this.#path, 'create');
    for (const days of this.#days.values()) {
      for (const staged of days.values()) {
        const { count } = staged.rows;
        if (count === 0) continue;
        await this.#file.write(packed(staged.rows), this.#position);
        staged.chunks.push({ position: this.#position, count });
        this.#position += count * ROW_BYTES;
        staged.rows.free();
        staged.rows = new DayRows(staged.day);
      }
    }
  }

  /** Returns and forgets all trades of a contract and day, in the order in which they were added. */
  async take(symbol: string, day: UtcDay): Promise<DayRows> {
    const staged = this.#days.get(symbol)?.get(day);
    if (staged === undefined) return new DayRows(day);
    this.#days.get(symbol)!.delete(day);
    if (staged.chunks.length === 0) return staged.rows;
    const whole = new DayRows(day);
    for (const { position, count } of staged.chunks) {
      const bytes = new Uint8Array(count * ROW_BYTES);
      for (let filled = 0; filled < bytes.length; ) {
        const read = await this.#file!.read(bytes.subarray(filled), position + filled);
        if (read === 0) throw new Error(`${this.#path} was truncated`);
        filled += read;
      }
      whole.append(unpacked(bytes, count));
      freeMemory(bytes.buffer);
    }
    whole.append(staged.rows);
    staged.rows.free();
    return whole;
  }

  /** Closes the file; its directory's owner removes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]();
    this.#file = null;
  }

  #dayOf(symbol: string, day: UtcDay): StagedDay {
    let days = this.#days.get(symbol);
    if (days === undefined) {
      days = new Map();
      this.#days.set(symbol, days);
    }
    let staged = days.get(day);
    if (staged === undefined) {
      staged = { symbol, day, rows: new DayRows(day), chunks: [] };
      days.set(day, staged);
    }
    return staged;
  }
}

/** Column by column. */
function packed({ count, ts, price, size, side }: DayRows): Uint8Array {
  const bytes = new Uint8Array(count * ROW_BYTES);
  let at = 0;
  for (const column of [ts, price, size, side]) {
    const length = count * column.BYTES_PER_ELEMENT;
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, length), at);
    at += length;
  }
  return bytes;
}

function unpacked(bytes: Uint8Array<ArrayBuffer>, count: number) {
  const { buffer } = bytes;
  return {
    count,
    ts: new Float64Array(buffer, 0, count),
    price: new Int32Array(buffer, count * 8, count),
    size: new Int32Array(buffer, count * 12, count),
    side: new Int8Array(buffer, count * 16, count),
  };
}
