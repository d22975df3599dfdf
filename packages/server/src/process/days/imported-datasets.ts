/**
 * The imported days of a running service, read-only. An import is a separate process; the service finds its results by
 * checking the manifest once a second. Sessions come from the books that imports wrote, and beyond those from the
 * calendar. The manifest served last is stored, so that days replaced while no service ran count as repairs too.
 *
 * A live dataset may have imported days as well. Its contracts and sessions come from its tape's writer; only sessions
 * before those come from the books of imports.
 */

import {
  extendSessionBook,
  joinSessionBooks,
  type SessionBook,
} from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { ServedDays } from '../../history/tape-revision.ts';
import { FilesMarket } from '../../markets/files-market.ts';
import type { DecidedByAlias, ListedDataset } from '../../markets/instruments/instruments-file.ts';
import { movedDays } from '../../markets/instruments/moved-days.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import type { DatasetBook } from '../../runs/session-tables.ts';
import { type ChangedDays, changedDays } from '../../tape/imported/changed-days.ts';
import {
  type ImportedDay,
  type ImportedDays,
  type ImportedManifest,
  readImported,
  writeImported,
} from '../../tape/imported/imported-manifest.ts';
import { RollStore } from '../../tape/imported/roll-store.ts';
import { importedPath, rollsPath } from '../../tape/tape-paths.ts';
import { SessionStore } from '../../tape/write/session-store.ts';

const LOOK_EVERY_MS = 1_000;
/** Books cover this many days before and after today, as on a live tape, also where no import wrote them. */
const BOOK_DAYS = 60;
const NO_DAYS: ImportedDays = new Map();
const NO_CONTRACT_DAYS: ReadonlyMap<UtcDay, ImportedDay> = new Map();

export interface ImportedDatasetsOptions {
  readonly disk: Disk;
  readonly data: string;
  /** Datasets of imported days only. */
  readonly listed: readonly ListedDataset[];
  /** Live datasets whose finished days may come from files; absent: none. */
  readonly repaired?: readonly ListedDataset[];
  readonly clock: Pick<Clock, 'now'>;
}

/** A dataset as of its newest manifest. */
export interface DatasetNews {
  readonly dataset: string;
  /** Null for a live dataset, whose contracts are not those of its files. */
  readonly market: FilesMarket | null;
  /** Of a live dataset: those that imports wrote. */
  readonly books: readonly SessionBook[];
  /** Changed days by contract; empty if only rolls or sessions changed. */
  readonly days: ChangedDays;
}

export interface ImportedEvents {
  /** Resolves to whether everything served from the changed days has ended for good. */
  changed(news: DatasetNews): Promise<boolean>;
  onFault(error: unknown, dataset: string): void;
}

interface Dataset extends DatasetNews {
  readonly listed: ListedDataset;
  /** Changes with the files. */
  readonly version: string;
  readonly manifest: ImportedManifest | null;
  readonly decided: DecidedByAlias;
  readonly lastDays: ReadonlyMap<string, UtcDay>;
}

interface ServedBefore {
  readonly days: ImportedDays;
  readonly decided: DecidedByAlias | null;
}

export class ImportedDatasets {
  readonly #options: ImportedDatasetsOptions;
  readonly #datasets = new Map<string, Dataset>();
  /** By dataset, instruments that were replaced since the last look. */
  readonly #relisted = new Map<string, ListedDataset>();
  /** By dataset, the error of files that could not be read: each is logged once. */
  readonly #faulty = new Map<string, string>();
  /** By dataset, the days that all threads know. */
  readonly #served = new Map<string, { readonly revision: number; readonly days: ImportedDays }>();
  #servedDays: ServedDays = new Map();
  #isLooking = false;
  readonly #saves = new SerialQueue();

  private constructor(options: ImportedDatasetsOptions) {
    this.#options = options;
  }

  /** Rejects with a `TapeDamagedError` if a file of a dataset is damaged. */
  static async open(options: ImportedDatasetsOptions): Promise<ImportedDatasets> {
    const opened = new ImportedDatasets(options);
    const { disk, listed, repaired = [] } = options;
    for (const one of [...listed, ...repaired]) {
      const served = await readImported(disk, opened.#servedRoot, one.name);
      const decided = await new RollStore(disk, opened.#servedRoot, one.name).load();
      const version = await opened.#versionOf(one.name);
      const before = { days: served?.days ?? NO_DAYS, decided: decided.size > 0 ? decided : null };
      const dataset = await opened.#read(one, version, before);
      opened.#datasets.set(one.name, dataset);
      opened.#serve(dataset);
    }
    return opened;
  }

  get markets(): readonly FilesMarket[] {
    return [...this.#datasets.values()].flatMap(({ market }) => market ?? []);
  }

  /** Those of datasets of imported days only. */
  get books(): readonly DatasetBook[] {
    return [...this.#datasets].flatMap(([dataset, { books, market }]) =>
      market === null ? [] : books.map((book) => ({ dataset, book })),
    );
  }

  /** The books of a live tape, with the earlier sessions that imports into it needed. */
  withEarlier(dataset: string, books: readonly SessionBook[]): readonly SessionBook[] {
    const imported = this.#datasets.get(dataset)?.books ?? [];
    return books.map((book) => {
      const other = imported.find(({ calendar }) => calendar === book.calendar);
      return other === undefined ? book : joinSessionBooks(book, other);
    });
  }

  /** Live datasets too, if files may be imported into them. */
  get names(): readonly string[] {
    return [...this.#datasets.keys()];
  }

  /** The newest day of these contracts; null if there is none, or if the tape of a live dataset decides. */
  lastDayOf(dataset: string, symbols: ReadonlySet<string>): UtcDay | null {
    const lastDays = this.#datasets.get(dataset)?.lastDays;
    let last: UtcDay | null = null;
    for (const symbol of symbols) {
      const day = lastDays?.get(symbol);
      if (day !== undefined && (last === null || day > last)) last = day;
    }
    return last;
  }

  /** The days that every thread knows, by contract, over all datasets. A change replaces the map. */
  get servedDays(): ServedDays {
    return this.#servedDays;
  }

  /** Replaces the instruments of these datasets at the next look; unknown datasets are ignored. */
  relist(listed: readonly ListedDataset[]): void {
    for (const one of listed) this.#relisted.set(one.name, one);
  }

  /** Reports changes since the last service, and all later ones. */
  watch(timers: Pick<Clock, 'every'>, events: ImportedEvents): Disposable {
    if (this.#datasets.size === 0) return { [Symbol.dispose]: () => {} };
    for (const dataset of this.#datasets.values()) void this.#tell(dataset, events);
    return timers.every(LOOK_EVERY_MS, () => void this.#look(events));
  }

  async #look(events: ImportedEvents): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const { listed, version, manifest, decided } of [...this.#datasets.values()]) {
      const relisted = this.#relisted.get(listed.name);
      try {
        const now = await this.#versionOf(listed.name);
        if (now === version && relisted === undefined) continue;
        const before = { days: manifest?.days ?? NO_DAYS, decided };
        const dataset = await this.#read(relisted ?? listed, now, before);
        this.#datasets.set(listed.name, dataset);
        if (this.#relisted.get(listed.name) === relisted) this.#relisted.delete(listed.name);
        this.#faulty.delete(listed.name);
        void this.#tell(dataset, events);
      } catch (error) {
        this.#tellFault(error, listed.name, events);
      }
    }
    this.#isLooking = false;
  }

  async #tell(dataset: Dataset, events: ImportedEvents): Promise<void> {
    const { manifest, days, listed, decided } = dataset;
    try {
      const isOver = await events.changed(dataset).finally(() => this.#serve(dataset));
      if (!isOver || days.size === 0 || manifest === null) return;
      await this.#saves.run(() => this.#saveServed(manifest, decided));
    } catch (error) {
      events.onFault(error, listed.name);
    }
  }

  #serve({ dataset, manifest, listed, market }: Dataset): void {
    const { revision, days } = manifest ?? { revision: 0, days: NO_DAYS };
    if ((this.#served.get(dataset)?.revision ?? -1) > revision) return;
    // Any contract of a live dataset may be repaired while a client turns its pages.
    const repairable = market === null ? listed.contracts : [];
    const none = repairable.map(({ contract }) => [contract.symbol, NO_CONTRACT_DAYS] as const);
    this.#served.set(dataset, { revision, days: new Map([...none, ...days]) });
    this.#servedDays = new Map([...this.#served.values()].flatMap(({ days }) => [...days]));
  }

  /** Skipped if a newer manifest is loaded; that one is saved when its own repairs are over. */
  async #saveServed(manifest: ImportedManifest, decided: DecidedByAlias): Promise<void> {
    const { dataset } = manifest;
    if (this.#datasets.get(dataset)?.manifest?.revision !== manifest.revision) return;
    await this.#options.disk.makeDirectory(`${this.#servedRoot}/${dataset}`);
    await writeImported(this.#options.disk, this.#servedRoot, manifest);
    if (decided.size === 0) return;
    await new RollStore(this.#options.disk, this.#servedRoot, dataset).save(decided, null);
  }

  #tellFault(error: unknown, dataset: string, events: ImportedEvents): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#faulty.get(dataset) === message) return;
    this.#faulty.set(dataset, message);
    events.onFault(error, dataset);
  }

  async #read(listed: ListedDataset, version: string, before: ServedBefore): Promise<Dataset> {
    const { disk } = this.#options;
    const manifest = await readImported(disk, this.#tapeRoot, listed.name);
    const decided = await new RollStore(disk, this.#tapeRoot, listed.name).load();
    const days = manifest?.days ?? NO_DAYS;
    const isLive = listed.live !== undefined;
    const rolls = { before: before.decided ?? decided, after: decided };
    const moved = isLive ? undefined : movedDays(listed, rolls, days);
    return {
      dataset: listed.name,
      decided,
      listed,
      version,
      manifest,
      lastDays: isLive ? new Map() : lastDaysOf(days),
      market: isLive ? null : new FilesMarket(listed, decided, days),
      books: await this.#booksOf(listed),
      days: changedDays(before.days, days, moved),
    };
  }

  async #booksOf({ name, calendars, live }: ListedDataset): Promise<readonly SessionBook[]> {
    const store = new SessionStore(this.#options.disk, this.#tapeRoot, name);
    const now = this.#options.clock.now();
    const [from, to] = [this.#dayFromNow(-BOOK_DAYS), this.#dayFromNow(BOOK_DAYS)];
    const books: SessionBook[] = [];
    for (const calendar of calendars) {
      const isLive = live !== undefined;
      const found = await (isLive ? store.loadImported(calendar.name) : store.load(calendar.name));
      if (found === null && isLive) continue;
      books.push(extendSessionBook(found, calendar, from, to, now));
    }
    return books;
  }

  /** The version includes today, because session books extend with every day. */
  async #versionOf(dataset: string): Promise<string> {
    const { disk } = this.#options;
    const files = [importedPath(this.#tapeRoot, dataset), rollsPath(this.#tapeRoot, dataset)];
    const entries = await Promise.all(files.map((file) => disk.stat(file)));
    return [this.#dayFromNow(0), ...entries.map((entry) => entry?.version)].join(' ');
  }

  #dayFromNow(days: number): UtcDay {
    return addDays(dayOf(this.#options.clock.now() as EpochNs), days);
  }

  get #tapeRoot(): string {
    return `${this.#options.data}/tape`;
  }

  get #servedRoot(): string {
    return `${this.#options.data}/served`;
  }
}

function lastDaysOf(contracts: ImportedDays): ReadonlyMap<string, UtcDay> {
  const lastDays = new Map<string, UtcDay>();
  for (const [symbol, days] of contracts) {
    for (const day of days.keys()) {
      if (day > (lastDays.get(symbol) ?? 0)) lastDays.set(symbol, day);
    }
  }
  return lastDays;
}
