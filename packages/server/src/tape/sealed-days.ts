/**
 * Reads sealed days. A day is sealed when its sidecar is there; files never change afterwards, so what
 * was read of a sidecar is kept. Whatever is read is checked: damage is met with a `TapeDamagedError`.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { type Disk, type DiskFile, readFileWhole } from '../platform/disk.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { parseSidecar, type Sidecar, type SidecarBatch } from './sidecar.ts';
import { TapeDamagedError } from './tape-errors.ts';
import { contractDirectory, dayOfFile, sealedPath, sidecarPath } from './tape-paths.ts';

/** Sidecars kept in memory, a few kilobytes each; the oldest leaves first. */
const SIDECARS_MAX = 2_048;

export class SealedDays {
  readonly #disk: Disk;
  readonly #tapeRoot: string;
  readonly #dataset: string;
  readonly #sidecars = new Map<string, Sidecar>();

  constructor(disk: Disk, tapeRoot: string, dataset: string) {
    this.#disk = disk;
    this.#tapeRoot = tapeRoot;
    this.#dataset = dataset;
  }

  /** Ascending. */
  async days(symbol: string): Promise<readonly UtcDay[]> {
    const names = await this.#disk.list(contractDirectory(this.#tapeRoot, this.#dataset, symbol));
    return names.flatMap((name) => dayOfFile(name, 'json') ?? []);
  }

  /** Rejects with `TapeDamagedError` when it is damaged, or is not that of this contract and day. */
  async sidecar(symbol: string, day: UtcDay): Promise<Sidecar> {
    const path = sidecarPath(this.#tapeRoot, this.#dataset, symbol, day);
    const known = this.#sidecars.get(path);
    if (known !== undefined) return known;
    const sidecar = await readSidecar(this.#disk, path);
    if (sidecar === null)
      throw new TapeDamagedError('there is no sidecar', { file: path, offset: 0 });
    if (sidecar.dataset !== this.#dataset || sidecar.symbol !== symbol || sidecar.day !== day) {
      throw new TapeDamagedError('the sidecar is of another day', { file: path, offset: 0 });
    }
    if (this.#sidecars.size >= SIDECARS_MAX) {
      this.#sidecars.delete(this.#sidecars.keys().next().value!);
    }
    this.#sidecars.set(path, sidecar);
    return sidecar;
  }

  /** The trades after rank `from` up to and with rank `to`. */
  async *read(symbol: string, day: UtcDay, from: number, to: number): AsyncGenerator<TradeBatch> {
    const { batches } = await this.sidecar(symbol, day);
    const first = batches.findIndex((batch) => batch.firstRank + batch.rows - 1 > from);
    if (first < 0 || to <= from) return;
    const path = sealedPath(this.#tapeRoot, this.#dataset, symbol, day);
    await using file = await this.#disk.open(path, 'read');
    let reading = readBatch(file, batches[first]!);
    for (let index = first; index < batches.length && batches[index]!.firstRank <= to; index++) {
      const bytes = await reading;
      const next = batches[index + 1];
      // The next batch is read while this one is decoded; the last one read ahead is never awaited
      // when the reader stops early, so it must not be able to fail alone.
      if (next !== undefined && next.firstRank <= to) {
        reading = readBatch(file, next);
        reading.catch(() => {});
      }
      const trades = new BatchDecoder(bytes, batches[index]!, path, index).trades(day);
      yield cut(trades, from, to);
    }
  }

  /** The rank of the last trade with ts < `ns`; 0 when there is none. */
  async rankBefore(symbol: string, day: UtcDay, ns: number): Promise<number> {
    const { batches, rows } = await this.sidecar(symbol, day);
    const index = batches.findIndex((batch) => batch.lastNs >= ns);
    if (index < 0) return rows;
    const batch = batches[index]!;
    if (batch.firstNs >= ns) return batch.firstRank - 1;
    const path = sealedPath(this.#tapeRoot, this.#dataset, symbol, day);
    await using file = await this.#disk.open(path, 'read');
    const times = new BatchDecoder(await readBatch(file, batch), batch, path, index).times(day);
    return batch.firstRank - 1 + firstRowAt(times, 0, batch.rows, ns);
  }
}

/** The sidecar at this path, or null when there is none. */
export async function readSidecar(disk: Disk, path: string): Promise<Sidecar | null> {
  const bytes = await readFileWhole(disk, path);
  return bytes === null ? null : parseSidecar(new TextDecoder().decode(bytes), path);
}

async function readBatch(file: DiskFile, batch: SidecarBatch): Promise<Uint8Array> {
  const bytes = new Uint8Array(batch.bytes);
  const count = await file.read(bytes, batch.offset);
  return bytes.subarray(0, count);
}

function cut(batch: TradeBatch, from: number, to: number): TradeBatch {
  const skip = Math.max(0, from + 1 - batch.firstRank);
  const end = Math.min(batch.count, to + 1 - batch.firstRank);
  return sliceBatch(batch, skip, end);
}
