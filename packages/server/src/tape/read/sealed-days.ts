/**
 * Reads sealed days. A day is sealed when its sidecar is there; files never change afterwards, so what
 * was read of a sidecar is kept. Whatever is read is checked: damage is met with a `TapeDamagedError`.
 */

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

/** Sidecars kept in memory, a few kilobytes each; the oldest leaves first. */
const SIDECARS_MAX = 2_048;
/** Ranks that were looked up in files, kept in memory; the oldest leaves first. */
const RANKS_MAX = 4_096;
/** Read from a file at a time. */
const STRETCH_BYTES_MAX = 512 * KIB;

/** The sealed days of a contract at one moment. */
export interface FoundDays {
  /** Those whose files are there, ascending. */
  readonly here: readonly UtcDay[];
  /** Those with a sidecar and no file of trades. */
  readonly cut: readonly UtcDay[];
  /** Those that belong on the tape and have no sidecar. */
  readonly gone: readonly UtcDay[];
}

/** Which days of a contract are sealed, and what their files are called. */
export interface SealedIndex {
  days(symbol: string): Promise<FoundDays>;
  /** The name of a day's two files, without their endings. */
  stem(symbol: string, day: UtcDay): string;
  /** What its trades must be; null where only its files say that. */
  digest(symbol: string, day: UtcDay): string | null;
}

/** Days are those that are there: their files are called after them. */
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
  /** By file and time: every run over a session asks for its open. */
  readonly #ranks: Map<string, number>;
  /** Of the files of days that were asked for, by sidecar. */
  readonly #versions: Map<string, string>;

  /** With `index` its days are those it names, by the names it gives. With `like`, what that has read is shared. */
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

  /** All that belong on the tape, whether their files are there or not, ascending. */
  async days(symbol: string): Promise<readonly UtcDay[]> {
    const { here, cut, gone } = await this.#index.days(symbol);
    const isAllHere = cut.length === 0 && gone.length === 0;
    return isAllHere ? here : [...here, ...cut, ...gone].sort((a, b) => a - b);
  }

  /** Whether a day is known to be sealed without a look at the disk. */
  knows(symbol: string, day: UtcDay): boolean {
    return this.#sidecars.has(this.#path(symbol, day, 'json'));
  }

  /** Rejects with `TapeDamagedError` when it is damaged, or is not that of this contract and day. */
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

  /** Another text after days of a contract came or went. */
  async daysVersion(symbol: string): Promise<string> {
    const directory = contractDirectory(this.#tapeRoot, this.#dataset, symbol);
    return (await this.#disk.stat(directory))?.version ?? 'none';
  }

  /** Tells whether the files of a day are still those they were; what was read of others is forgotten. */
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

  /** The trades after rank `from` up to and with rank `to`; lent batches are taken back. */
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
        // Everything was read: it is closed while the reader is busy with the last one.
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

/** The sidecar at this path, or null when there is none. */
export async function readSidecar(disk: Disk, path: string): Promise<Sidecar | null> {
  const bytes = await readFileWhole(disk, path);
  return bytes === null ? null : parseSidecar(new TextDecoder().decode(bytes), path);
}

/** A sidecar that is damaged counts as none. */
export async function readSoundSidecar(disk: Disk, path: string): Promise<Sidecar | null> {
  try {
    return await readSidecar(disk, path);
  } catch (error) {
    if (error instanceof TapeDamagedError) return null;
    throw error;
  }
}

/** A day with a sidecar has its file: without it the day is damaged, and so it is when the file was cut. */
async function openSealed(disk: Disk, path: string, sidecar: Sidecar): Promise<DiskFile> {
  await assertSize(disk, path, sidecar);
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new TapeDamagedError('there is no file', { file: path, offset: 0 }, error);
  }
}

/** All trades may be there and yet not all of the file, which then no other program reads. */
async function assertSize(disk: Disk, path: string, { bytes }: Sidecar): Promise<void> {
  const entry = await disk.stat(path);
  if (entry === null) throw new TapeDamagedError('there is no file', { file: path, offset: 0 });
  if (entry.size === bytes) return;
  const what = `the file has ${entry.size} bytes instead of ${bytes}`;
  throw new TapeDamagedError(what, { file: path, offset: Math.min(entry.size, bytes) });
}

/** The batches [from, to) as they lie in the file. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** Reads batches one after the other, those that lie beside each other in stretches, each at once. */
class Stretches {
  readonly #file: DiskFile;
  readonly #batches: readonly SidecarBatch[];
  readonly #end: number;
  #stretch: Stretch = { from: 0, to: 0, bytes: new Uint8Array(0) };
  /** The one after it, which is read meanwhile. */
  #next: Promise<Stretch> | null = null;

  /** Batches from `end` on are not read. */
  constructor(file: DiskFile, batches: readonly SidecarBatch[], end: number) {
    this.#file = file;
    this.#batches = batches;
    this.#end = end;
  }

  /** The bytes of a batch, fewer when the file has fewer; good until a later batch is asked for. */
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
    // Perhaps nobody asks for it, so it must not be able to fail alone.
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
