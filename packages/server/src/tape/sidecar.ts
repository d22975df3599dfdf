/** A sealed day's identity, checksums and index, read without its Arrow file. A read detects any changed bit. */

import { createHash } from 'node:crypto';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { parseChecked, printChecked } from './checked-json.ts';
import type { DaySpan } from './tape.ts';

const SIDECAR_VERSION = 1;

export interface Sidecar {
  readonly version: number;
  readonly dataset: string;
  readonly symbol: string;
  readonly day: UtcDay;
  readonly rows: number;
  /** Stamps of the first and last trade, nanoseconds of the day; null on an empty day. */
  readonly firstNs: number | null;
  readonly lastNs: number | null;
  /** Of the Arrow file. */
  readonly bytes: number;
  readonly sha256: string;
  /** Digest of the trades themselves, independent of storage: caches of results are keyed by it. */
  readonly digest: string;
  readonly batches: readonly SidecarBatch[];
  /** Open hours whose trades the source has lost, ascending and disjoint; absent: none. */
  readonly gaps?: readonly DaySpan[];
}

/** One record batch of the Arrow file. */
export interface SidecarBatch {
  readonly firstRank: number;
  readonly rows: number;
  readonly firstNs: number;
  readonly lastNs: number;
  /** The batch's message in the file, metadata and body. */
  readonly offset: number;
  readonly bytes: number;
  readonly crc32: number;
  /** Where in those bytes the buffers of ts, price, size, side and late lie: offset and length. */
  readonly buffers: readonly (readonly [offset: number, bytes: number])[];
}

export function printSidecar(sidecar: Omit<Sidecar, 'version'>): string {
  return printChecked({ version: SIDECAR_VERSION, ...sidecar });
}

/** Throws `TapeDamagedError` unless the text is exactly what `printSidecar` returns. */
export function parseSidecar(text: string, file: string): Sidecar {
  return parseChecked<Sidecar>(text, { what: 'sidecar', version: SIDECAR_VERSION, file });
}

/** Hashes a day's trades in order, in batches of any length; the digest depends on the trades only. */
export class TradesDigest {
  readonly #columns = [0, 1, 2, 3].map(() => createHash('sha256'));

  update({ ts, price, size, side, count }: TradeBatch): void {
    [ts, price, size, side].forEach((column, index) => {
      const bytes = count * column.BYTES_PER_ELEMENT;
      this.#columns[index]!.update(new Uint8Array(column.buffer, column.byteOffset, bytes));
    });
  }

  finish(symbol: string, day: UtcDay): string {
    const whole = createHash('sha256').update(`${symbol} ${day}`);
    for (const column of this.#columns) whole.update(column.digest());
    return whole.digest('hex');
  }
}
