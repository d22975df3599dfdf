/**
 * Reads sealed days. A day is sealed when its sidecar is there; files never change afterwards, so what
 * was read of a sidecar is kept. Whatever is read is checked: damage is met with a `TapeDamagedError`.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt, sliceBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { type Disk, type DiskFile, readFileWhole } from '../../platform/disk.ts';
import { freeMemory } from '../../platform/free-memory.ts';
import { parseSidecar, type Sidecar, type SidecarBatch } from '../sidecar.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { contractDirectory, dayOfFile } from '../tape-paths.ts';
import { BatchDecoder } from './batch-decoder.ts';
import { decodeAside } from './decode-aside.ts';

/** Sidecars kept in memory, a few kilobytes each; the oldest leaves first. */
const SIDECARS_MAX = 2_048;
/** Ranks that were looked up in files, kept in memory; the oldest leaves first. */
const RANKS_MAX = 4_096;
/** Stretches that are decoded before they are asked for: decoding takes longer than most studies. */
const STRETCHES_AHEAD = 2;

/** One batch, or two that lie beside each other: what is read and decoded at once. */
interface Stretch {
  /** The number of its first batch. */
  readonly first: number;
  readonly batches: readonly SidecarBatch[];
}

/** Which days of a contract are sealed, and what their files are called. */
export interface SealedIndex {
  /** Ascending. */
  days(symbol: string): Promise<readonly UtcDay[]>;
  /** The name of a day's two files, without their endings. */
  stem(symbol: string, day: UtcDay): string;
  /** What its trades must be; null where only its files say that. */
  digest(symbol: string, day: UtcDay): string | null;
}

/** Days are those that are there: their files are called after them. */
function directoryIndex(disk: Disk, tapeRoot: string, dataset: string): SealedIndex {
  return {
    days: async (symbol) => {
      const names = await disk.list(contractDirectory(tapeRoot, dataset, symbol));
      return names.flatMap((name) => dayOfFile(name, 'json') ?? []);
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

  /** Ascending. */
  async days(symbol: string): Promise<readonly UtcDay[]> {
    return await this.#index.days(symbol);
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
    if (this.#sidecars.size >= SIDECARS_MAX) {
      this.#sidecars.delete(this.#sidecars.keys().next().value!);
    }
    this.#sidecars.set(path, sidecar);
    return sidecar;
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
    const { batches } = await this.sidecar(symbol, day);
    const first = batches.findIndex((batch) => batch.firstRank + batch.rows - 1 > from);
    if (first < 0) return;
    const found = batches.findIndex((batch) => batch.firstRank > to);
    const stretches = stretchesOf(batches, first, found < 0 ? batches.length : found);
    const path = this.#path(symbol, day, 'arrow');
    await using file = await openSealed(this.#disk, path);
    const decode = async (stretch: Stretch) => {
      const bytes = await readStretch(file, stretch);
      const decoding = decodeAside(decodersOf(stretch, bytes, path), day);
      freeMemory(bytes.buffer);
      return await decoding;
    };
    const ahead: Promise<readonly TradeBatch[]>[] = [];
    for (let at = 0; at < stretches.length; at += 1) {
      // The next ones are decoded while the reader is busy with this one. They are never awaited when
      // the reader stops early, so they must not be able to fail alone.
      while (ahead.length <= STRETCHES_AHEAD && at + ahead.length < stretches.length) {
        const decoding = decode(stretches[at + ahead.length]!);
        decoding.catch(() => {});
        ahead.push(decoding);
      }
      const decoded = await ahead.shift()!;
      for (const trades of decoded) yield cut(trades, from, to);
      if (isLent) for (const { ts } of decoded) freeMemory(ts.buffer);
    }
  }

  /** The rank of the last trade with ts < `ns`; 0 when there is none. */
  async rankBefore(symbol: string, day: UtcDay, ns: number): Promise<number> {
    const { batches, rows } = await this.sidecar(symbol, day);
    const index = batches.findIndex((batch) => batch.lastNs >= ns);
    if (index < 0) return rows;
    const batch = batches[index]!;
    if (batch.firstNs >= ns) return batch.firstRank - 1;
    const path = this.#path(symbol, day, 'arrow');
    const key = `${path} ${ns}`;
    const known = this.#ranks.get(key);
    if (known !== undefined) return known;
    const rank = await this.#readRank(path, day, batch, index, ns);
    if (this.#ranks.size >= RANKS_MAX) this.#ranks.delete(this.#ranks.keys().next().value!);
    this.#ranks.set(key, rank);
    return rank;
  }

  #path(symbol: string, day: UtcDay, kind: 'json' | 'arrow'): string {
    const directory = contractDirectory(this.#tapeRoot, this.#dataset, symbol);
    return `${directory}/${this.#index.stem(symbol, day)}.${kind}`;
  }

  async #readRank(path: string, day: UtcDay, batch: SidecarBatch, index: number, ns: number) {
    await using file = await openSealed(this.#disk, path);
    const stretch = { first: index, batches: [batch] };
    const [decoder] = decodersOf(stretch, await readStretch(file, stretch), path);
    const times = decoder!.times(day);
    return batch.firstRank - 1 + firstRowAt(times, 0, batch.rows, ns);
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

/** A day with a sidecar has its file: without it the day is damaged. */
async function openSealed(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw new TapeDamagedError('there is no file', { file: path, offset: 0 }, error);
  }
}

/** The batches from `first` to before `end`, as they are read and decoded. */
function stretchesOf(
  batches: readonly SidecarBatch[],
  first: number,
  end: number,
): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let at = first; at < end; ) {
    const { offset, bytes } = batches[at]!;
    const next = batches[at + 1];
    // The first one alone: its trades are waited for.
    const isPair = at > first && at + 1 < end && next!.offset === offset + bytes;
    stretches.push({ first: at, batches: isPair ? [batches[at]!, next!] : [batches[at]!] });
    at += isPair ? 2 : 1;
  }
  return stretches;
}

/** Its bytes, fewer when the file has fewer. */
async function readStretch(file: DiskFile, { batches }: Stretch): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(batches.reduce((sum, batch) => sum + batch.bytes, 0));
  const count = await file.read(bytes, batches[0]!.offset);
  return bytes.subarray(0, count);
}

function decodersOf({ first, batches }: Stretch, bytes: Uint8Array, path: string) {
  const start = batches[0]!.offset;
  return batches.map((batch, index) => {
    const message = bytes.subarray(batch.offset - start, batch.offset - start + batch.bytes);
    return new BatchDecoder(message, batch, path, first + index);
  });
}

function cut(batch: TradeBatch, from: number, to: number): TradeBatch {
  const skip = Math.max(0, from + 1 - batch.firstRank);
  const end = Math.min(batch.count, to + 1 - batch.firstRank);
  return sliceBatch(batch, skip, end);
}
