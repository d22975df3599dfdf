/**
 * The tape of an imported dataset, read by one manifest at a time: only the days it names exist, and `refresh` switches
 * to the newest. A pinned tape stays with its manifest, so a reader never mixes old and new days. Files of replaced
 * days are removed eventually; a reader on an old manifest then gets the error "outdated".
 */

import { hash } from 'node:crypto';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk/disk.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { ImportedDaysTape } from '../read/repaired-tape.ts';
import { SealedDays } from '../read/sealed-days.ts';
import { NO_LIVE_DAYS, TapeReader } from '../read/tape-reader.ts';
import type { Tape, TapeDay, TapePlace } from '../tape.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { dayOfImportedFile } from '../tape-paths.ts';
import {
  type ImportedDay,
  type ImportedDays,
  importedStem,
  readImported,
} from './imported-manifest.ts';

const NO_DAYS: ReadonlyMap<UtcDay, ImportedDay> = new Map();

/** A fixed tape with the newer days of one contract, ready to be adopted. */
export interface NextDays<Next extends Tape = Tape> {
  /** The tape after `adopt`. */
  readonly tape: Next;
  /** Switches to the newer days. */
  readonly adopt: () => void;
}

interface ImportedFiles {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  /** Its cache of sidecars is shared. */
  readonly kept: SealedDays;
}

export class ImportedTape implements ImportedDaysTape {
  readonly #files: ImportedFiles;
  #now: PinnedTape;

  private constructor(files: ImportedFiles, days: ImportedDays) {
    this.#files = files;
    this.#now = new PinnedTape(files, days);
  }

  /** A dataset without imports has no days. Rejects with `TapeDamagedError`. */
  static async open(disk: Disk, tapeRoot: string, dataset: string): Promise<ImportedTape> {
    const kept = new SealedDays(disk, tapeRoot, dataset);
    const files = { disk, tapeRoot, dataset, kept };
    return new ImportedTape(files, await daysOnDisk(files));
  }

  /** The tape as it is now, for the whole read. */
  pinned(): ImportedDaysTape {
    return this.#now;
  }

  /** Switches to the newest manifest. */
  async refresh(): Promise<void> {
    this.#now = new PinnedTape(this.#files, await daysOnDisk(this.#files));
  }

  /** The days of one contract from the newest manifest; those of other contracts stay as they are. */
  async next(symbol: string): Promise<NextDays<ImportedDaysTape>> {
    const days = (await daysOnDisk(this.#files)).get(symbol) ?? NO_DAYS;
    const withThose = () => new PinnedTape(this.#files, new Map(this.#now.all).set(symbol, days));
    return {
      tape: withThose(),
      adopt: () => {
        this.#now = withThose();
      },
    };
  }

  /** The last instant of its last day; null when it has no days. */
  endOf(symbol: string): EpochNs | null {
    return this.#now.endOf(symbol);
  }

  importedDays(symbol: string): readonly UtcDay[] {
    return this.#now.importedDays(symbol);
  }

  days(symbol: string): Promise<readonly TapeDay[]> {
    return this.#now.days(symbol);
  }

  read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncIterable<TradeBatch> {
    return this.#now.read(symbol, from, to, isLent);
  }

  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    return this.#now.rankBefore(symbol, day, ns);
  }

  filesVersion(symbol: string, day: UtcDay): Promise<string> {
    return this.#now.filesVersion(symbol, day);
  }

  daysVersion(symbol: string): Promise<string> {
    return this.#now.daysVersion(symbol);
  }
}

/** The tape of one manifest. */
class PinnedTape implements ImportedDaysTape {
  readonly all: ImportedDays;
  readonly #files: ImportedFiles;
  readonly #reader: TapeReader;
  /** By contract, computed on demand. */
  readonly #ends = new Map<string, EpochNs | null>();
  /** Its days, ascending, likewise. */
  readonly #sorted = new Map<string, readonly UtcDay[]>();
  /** Digests of a contract's days, likewise. */
  readonly #versions = new Map<string, string>();

  constructor(files: ImportedFiles, all: ImportedDays) {
    this.all = all;
    this.#files = files;
    const { disk, tapeRoot, dataset, kept } = files;
    const index = {
      days: async (symbol: string) => {
        return { here: this.importedDays(symbol), cut: [], gone: [] };
      },
      stem: (symbol: string, day: UtcDay) => {
        const found = this.#days(symbol).get(day);
        return found === undefined ? `${day}` : importedStem(day, found.digest);
      },
      digest: (symbol: string, day: UtcDay) => this.#days(symbol).get(day)?.digest ?? null,
    };
    const sealed = new SealedDays(disk, tapeRoot, dataset, index, kept);
    this.#reader = new TapeReader(disk, tapeRoot, dataset, NO_LIVE_DAYS, sealed);
  }

  endOf(symbol: string): EpochNs | null {
    return this.#ends.getOrInsertComputed(symbol, () => {
      const last = this.importedDays(symbol).at(-1);
      return last === undefined ? null : epochNs(addDays(last, 1), -1);
    });
  }

  importedDays(symbol: string): readonly UtcDay[] {
    return this.#sorted.getOrInsertComputed(symbol, () =>
      [...this.#days(symbol).keys()].sort((a, b) => a - b),
    );
  }

  async days(symbol: string): Promise<readonly TapeDay[]> {
    const days = [...this.#days(symbol)].map(([day, imported]) => tapeDay(day, imported));
    return days.sort((a, b) => a.day - b.day);
  }

  async *read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncGenerator<TradeBatch> {
    try {
      yield* this.#reader.read(symbol, from, to, isLent);
    } catch (error) {
      throw await this.#unlessReplaced(symbol, error);
    }
  }

  async rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    try {
      return await this.#reader.rankBefore(symbol, day, ns);
    } catch (error) {
      throw await this.#unlessReplaced(symbol, error);
    }
  }

  filesVersion(symbol: string, day: UtcDay): Promise<string> {
    return this.#reader.filesVersion(symbol, day);
  }

  async daysVersion(symbol: string): Promise<string> {
    return this.#versions.getOrInsertComputed(symbol, () =>
      hash('sha256', JSON.stringify([...this.#days(symbol)]), 'base64url'),
    );
  }

  #days(symbol: string): ReadonlyMap<UtcDay, ImportedDay> {
    return this.all.get(symbol) ?? NO_DAYS;
  }

  /** An unreadable file counts as damaged only if the newest manifest still names it. */
  async #unlessReplaced(symbol: string, error: unknown): Promise<unknown> {
    if (!(error instanceof TapeDamagedError)) return error;
    const day = dayOfImportedFile(error.file.slice(error.file.lastIndexOf('/') + 1));
    if (day === null) return error;
    const newest = (await daysOnDisk(this.#files)).get(symbol)?.get(day);
    if (newest?.digest === this.#days(symbol).get(day)?.digest) return error;
    return new Refusal({ t: 'outdated' }, error);
  }
}

async function daysOnDisk({ disk, tapeRoot, dataset }: ImportedFiles): Promise<ImportedDays> {
  return (await readImported(disk, tapeRoot, dataset))?.days ?? new Map();
}

function tapeDay(day: UtcDay, imported: ImportedDay): TapeDay {
  const { digest, trades, gaps, origin, outside } = imported;
  const own = outside === undefined ? { origin } : { origin, outside };
  const version = gaps.length === 0 ? digest : `${digest} without ${gaps.join(' ')}`;
  if (gaps.length === 0) return { day, trades, state: 'sealed', digest, version, ...own };
  return { day, trades, state: 'partial', digest, gaps, version, ...own };
}
