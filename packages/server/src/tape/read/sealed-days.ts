/** Reads and checks sealed days; damage gives a `TapeDamagedError`. Files never change, so sidecars are cached. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { KIB } from '@tapeloom/core/units';
import { type Disk, type DiskFile, readFileWhole } from '../../platform/disk/disk.ts';
import { freeMemory } from '../../platform/memory/free-memory.ts';
import { parseSidecar, type Sidecar, type SidecarBatch } from '../sidecar.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { contractDirectory, dayOfFile } from '../tape-paths.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { BatchesAhead } from './batches-ahead.ts';

/** Cached sidecars, a few kilobytes each; the oldest is evicted first. */
const SIDECARS_MAX = 2_048;
/** Cached ranks that were looked up in files; the oldest is evicted first. */
const RANKS_MAX = 4_096;
/** Bytes read from a file at a time. */
const STRETCH_BYTES_MAX = 512 * KIB;

export interface FoundDays {
  /** Days whose files exist, ascending. */
  readonly here: readonly UtcDay[];
  /** Days with a sidecar but no file of trades. */
  readonly cut: readonly UtcDay[];
  /** Days that belong on the tape and have no sidecar. */
  readonly gone: readonly UtcDay[];
}

/** Which days of a contract are sealed, and the names of their files. */
export interface SealedIndex {
  days(symbol: string): Promise<FoundDays>;
  /** The name of a day's two files, without extension. */
  stem(symbol: string, day: UtcDay): string;
  /** The digest that its trades must have; null where only its files record it. */
  digest(symbol: string, day: UtcDay): string | null;
}

/** The days that exist on disk: their files are named after them. */
export function directoryIndex(disk: Disk, tapeRoot: string, dataset: string): SealedIndex {
  return {
    days: async (symbol) => {
      const names = new Set(await disk.list(contractDirectory(tapeRoot, dataset, symbol)));
      const found = [...names].flatMap((name) => dayOfFile(name, 'json') ?? []);
      const isHere = (day: UtcDay) => names.has(`${day}.arrow`);
      const here = found.filter(isHere);
      const cut = here.length === found.length ? [] : found.filter((day) => !isHere(day));
      return { here, cut, gone: [] };
    },
    stem: (_symbol, day) => `${day}`,
    digest: () => null,
  };
}

export class SealedDays {
  readonly #disk: Disk;
  readonly #tapeRoot: string;
  readonly #dataset: string;
  readonly #index: SealedIndex;
  readonly #sidecars: Map<string, Sidecar>;
  /** By file and time: every run over a session looks up the session's open. */
  readonly #ranks: Map<string, number>;
  /** Of the files of requested days, by sidecar. */
  readonly #versions: Map<string, string>;

  /** `index` names the days and their files. Caches are shared with `like`. */
  constructor(
    disk: Disk,
    tapeRoot: string,
    dataset: string,
    index = directoryIndex(disk, tapeRoot, dataset),
    like: SealedDays | null = null,
  ) {
    this.#disk = disk;
    this.#tapeRoot = tapeRoot;
    this.#dataset = dataset;
    this.#index = index;
    this.#sidecars = like === null ? new Map() : like.#sidecars;
    this.#ranks = like === null ? new Map() : like.#ranks;
    this.#versions = like === null ? new Map() : like.#versions;
  }

  async find(symbol: string): Promise<FoundDays> {
    return await this.#index.days(symbol);
  }

  /** All days that belong on the tape, whether their files exist or not, ascending. */
  async days(symbol: string): Promise<readonly UtcDay[]> {
    const { here, cut, gone } = await this.#index.days(symbol);
    const isAllHere = cut.length === 0 && gone.length === 0;
    return isAllHere ? here : [...here, ...cut, ...gone].sort((a, b) => a - b);
  }

  /** Whether the cache proves a day to be sealed, without disk access. */
  knows(symbol: string, day: UtcDay): boolean {
    return this.#sidecars.has(this.#path(symbol, day, 'json'));
  }

  /** Rejects with `TapeDamagedError` when it is missing, damaged, or of another contract, day or digest. */
  async sidecar(symbol: string, day: UtcDay): Promise<Sidecar> {
    const path = this.#path(symbol, day, 'json');
    const known = this.#sidecars.get(path);
    if (known !== undefined) return known;
    const sidecar = await readSidecar(this.#disk, path);
    if (sidecar === null)
      throw new TapeDamagedError('there is no sidecar', { file: path, offset: 0 });
    if (sidecar.dataset !== this.#dataset || sidecar.symbol !== symbol || sidecar.day !== day) {
      throw new TapeDamagedError('the sidecar is of another day', { file: path, offset: 0 });
    }
    const expected = this.#index.digest(symbol, day);
    if (expected !== null && sidecar.digest !== expected) {
      throw new TapeDamagedError('the sidecar is of other trades', { file: path, offset: 0 });
    }
    await assertSize(this.#disk, this.#path(symbol, day, 'arrow'), sidecar);
    if (this.#sidecars.size >= SIDECARS_MAX) {
      this.#sidecars.delete(this.#sidecars.keys().next().value!);
    }
    this.#sidecars.set(path, sidecar);
    return sidecar;
  }

  /** Changes after days of a contract are added or removed. */
  async daysVersion(symbol: string): Promise<string> {
    const directory = contractDirectory(this.#tapeRoot, this.#dataset, symbol);
    return (await this.#disk.stat(directory))?.version ?? 'none';
  }

  /** Changes when a day's files change; cached data of the old files is dropped. */
  async filesVersion(symbol: string, day: UtcDay): Promise<string> {
    const paths = [this.#path(symbol, day, 'json'), this.#path(symbol, day, 'arrow')] as const;
    const found = await Promise.all(paths.map((path) => this.#disk.stat(path)));
    const version = found.map((entry) => entry?.version ?? 'none').join(' ');
    const [sidecar, trades] = paths;
    if (this.#versions.get(sidecar) !== version) {
      this.#versions.set(sidecar, version);
      this.#sidecars.delete(sidecar);
      for (const key of this.#ranks.keys()) {
        if (key.startsWith(`${trades} `)) this.#ranks.delete(key);
      }
    }
    return version;
  }

  /** The trades after rank `from` up to and including rank `to`; lent batches are freed when the next is requested. */
  async *read(
    symbol: string,
    day: UtcDay,
    from: number,
    to: number,
    isLent = false,
  ): AsyncGenerator<TradeBatch> {
    if (to <= from) return;
    const sidecar = await this.sidecar(symbol, day);
    const { batches } = sidecar;
    const first = batches.findIndex((batch) => batch.firstRank + batch.rows - 1 > from);
    if (first < 0) return;
    const found = batches.findIndex((batch) => batch.firstRank > to);
    const end = found < 0 ? batches.length : found;
    const path = this.#path(symbol, day, 'arrow');
    const file = await openSealed(this.#disk, path, sidecar);
    let closing: PromiseLike<void> | null = null;
    const close = () => (closing ??= file[Symbol.asyncDispose]());
    const stretches = new Stretches(file, batches, end);
    const load = async (index: number) => {
      const bytes = await stretches.message(index);
      return new BatchDecoder(bytes, batches[index]!, path, index).packed();
    };
    const ahead = new BatchesAhead(load, day, first, end);
    try {
      for (let index = first; index < end; index++) {
        const trades = await ahead.next();
        // Everything is read: the file closes while the reader is busy with the last batch.
        if (index === end - 1) close().then(undefined, () => {});
        yield cut(trades, from, to);
        if (isLent) freeMemory(trades.ts.buffer);
      }
    } finally {
      await close();
    }
  }

  /** The rank of the last trade with ts < `ns`; 0 when there is none. */
  async rankBefore(symbol: string, day: UtcDay, ns: number): Promise<number> {
    const sidecar = await this.sidecar(symbol, day);
    const { batches, rows } = sidecar;
    const index = batches.findIndex((batch) => batch.lastNs >= ns);
    if (index < 0) return rows;
    const batch = batches[index]!;
    if (batch.firstNs >= ns) return batch.firstRank - 1;
    const path = this.#path(symbol, day, 'arrow');
    const key = `${path} ${ns}`;
    const known = this.#ranks.get(key);
    if (known !== undefined) return known;
    await using file = await openSealed(this.#disk, path, sidecar);
    const bytes = await new Stretches(file, [batch], 1).message(0);
    const times = new BatchDecoder(bytes, batch, path, index).times(day);
    const rank = batch.firstRank - 1 + firstRowAt(times, 0, batch.rows, ns);
    if (this.#ranks.size >= RANKS_MAX) this.#ranks.delete(this.#ranks.keys().next().value!);
    this.#ranks.set(key, rank);
    return rank;
  }

  #path(symbol: string, day: UtcDay, kind: 'json' | 'arrow'): string {
    const directory = contractDirectory(this.#tapeRoot, this.#dataset, symbol);
    return `${directory}/${this.#index.stem(symbol, day)}.${kind}`;
  }
}

export async function readSidecar(disk: Disk, path: string): Promise<Sidecar | null> {
  const bytes = await readFileWhole(disk, path);
  return bytes === null ? null : parseSidecar(new TextDecoder().decode(bytes), path);
}

/** Treats a damaged sidecar as missing. */
export async function readSoundSidecar(disk: Disk, path: string): Promise<Sidecar | null> {
  try {
    return await readSidecar(disk, path);
  } catch (error) {
    if (error instanceof TapeDamagedError) return null;
    throw error;
  }
}

/** A day with a sidecar must have its file: a missing or truncated file means that the day is damaged. */
async function openSealed(disk: Disk, path: string, sidecar: Sidecar): Promise<DiskFile> {
  await assertSize(disk, path, sidecar);
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new TapeDamagedError('there is no file', { file: path, offset: 0 }, error);
  }
}

/** All trades may be present in a truncated file, but no other program could read it. */
async function assertSize(disk: Disk, path: string, { bytes }: Sidecar): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === null) throw new TapeDamagedError('there is no file', { file: path, offset: 0 });
  if (entry.size === bytes) return;
  const what = `the file has ${entry.size} bytes instead of ${bytes}`;
  throw new TapeDamagedError(what, { file: path, offset: Math.min(entry.size, bytes) });
}

/** The batches [from, to) as they are in the file. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** Reads batches in order; adjacent batches are read together, as one stretch. */
class Stretches {
  readonly #file: DiskFile;
  readonly #batches: readonly SidecarBatch[];
  readonly #end: number;
  #stretch: Stretch = { from: 0, to: 0, bytes: new Uint8Array(0) };
  /** The following stretch, read ahead. */
  #next: Promise<Stretch> | null = null;

  /** Batches from `end` on are not read. */
  constructor(file: DiskFile, batches: readonly SidecarBatch[], end: number) {
    this.#file = file;
    this.#batches = batches;
    this.#end = end;
  }

  /** The bytes of a batch, fewer when the file is shorter; valid until a later batch is requested. */
  async message(index: number): Promise<Uint8Array> {
    if (index >= this.#stretch.to) await this.#moveOn(index);
    const { from, bytes } = this.#stretch;
    const at = this.#batches[index]!.offset - this.#batches[from]!.offset;
    return bytes.subarray(at, at + this.#batches[index]!.bytes);
  }

  async #moveOn(index: number): Promise<void> {
    const before = this.#stretch.bytes;
    this.#stretch = await (this.#next ?? this.#read(index));
    freeMemory(before.buffer);
    const { to } = this.#stretch;
    this.#next = to < this.#end ? this.#read(to) : null;
    // It may never be awaited, so its failure must not become an unhandled rejection.
    this.#next?.catch(() => {});
  }

  async #read(from: number): Promise<Stretch> {
    const first = this.#batches[from]!;
    let to = from + 1;
    let size = first.bytes;
    while (to < this.#end && this.#batches[to]!.offset === first.offset + size) {
      if (size + this.#batches[to]!.bytes > STRETCH_BYTES_MAX) break;
      size += this.#batches[to]!.bytes;
      to += 1;
    }
    const bytes = Buffer.allocUnsafeSlow(size);
    const count = await this.#file.read(bytes, first.offset);
    return { from, to, bytes: bytes.subarray(0, count) };
  }
}

function cut(batch: TradeBatch, from: number, to: number): TradeBatch {
  const skip = Math.max(0, from + 1 - batch.firstRank);
  const end = Math.min(batch.count, to + 1 - batch.firstRank);
  return sliceBatch(batch, skip, end);
}
