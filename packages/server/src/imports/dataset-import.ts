/**
 * Imports files into a dataset, one after the other. Each takes effect completely or not at all: its days are written
 * under new names, then the session books are extended, then one manifest names the days. After a crash the next import
 * starts from the manifest and removes the rest. The caller holds the dataset's lock, unless nothing is written.
 */

import { basename } from 'node:path';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS, MS_NS_BIG } from '@tapeloom/core/units';
import { dayOf } from '@tapeloom/core/utc-day';
import { DayRows, isOneSided } from '../feeds/day-rows.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import type { Disk } from '../platform/disk/disk.ts';
import {
  importedDayPath,
  removeNamelessDays,
  writeImportedDay,
} from '../tape/imported/imported-files.ts';
import {
  type ImportedDay,
  type ImportedManifest,
  readImported,
  writeImported,
} from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';
import { SessionStore } from '../tape/write/session-store.ts';
import { ContractNames } from './contract-names.ts';
import { DaysBefore, spansAround } from './days-before.ts';
import {
  type ContractCoverage,
  contractCoverages,
  type DayCoverage,
  dayCoverage,
  saidDays,
} from './file-coverage.ts';
import type {
  Claim,
  DayResult,
  FileImport,
  ImportedFile,
  JudgedFile,
  OneSidedDay,
} from './file-import.ts';
import { FileSplit } from './file-split.ts';
import { judgeDay } from './judge-day.ts';
import type { SealedLiveDays } from './live-days.ts';
import { withoutSpans } from './merge-day.ts';
import { SessionHours } from './session-hours.ts';
import { differenceOf, unionOf } from './spans.ts';
import { StagedRows } from './staged-rows.ts';
import { inferSides } from './tick-rule.ts';

/** 17 bytes each, plus spare capacity. */
const ROWS_MAX = 4_000_000;

export interface ImportPlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  /** Staging for trades that exceed memory; created when needed, emptied afterwards. */
  readonly stagingDirectory: string;
  readonly dataset: ListedDataset;
  readonly now: EpochNs;
  /** The finished days of a live dataset; omitted for a dataset of imported days only. */
  readonly live?: SealedLiveDays;
  /** If set, nothing is written to the tape. */
  readonly isDryRun: boolean;
  /** Where a dry run over several files stores days, so that later files are compared with them; empty at first. */
  readonly trialRoot?: string;
  readonly rowsMax?: number;
}

type CoveredDays = Map<string, Map<UtcDay, readonly DaySpan[]>>;

export class DatasetImport {
  readonly #place: ImportPlace;
  readonly #names: ContractNames;
  readonly #contracts: ReadonlyMap<string, Contract>;
  readonly #hours: SessionHours;
  readonly #before: DaysBefore;
  #manifest: ImportedManifest;
  /** The coverage of this import's files by contract and day. */
  readonly #own: CoveredDays = new Map();
  /** Digests of days that only this dry run has. */
  readonly #tried = new Set<string>();

  private constructor(place: ImportPlace, manifest: ImportedManifest) {
    const { disk, tapeRoot, dataset, live = null, now } = place;
    this.#place = place;
    this.#manifest = manifest;
    this.#names = new ContractNames(dataset);
    this.#contracts = new Map(dataset.contracts.map(({ contract }) => [contract.symbol, contract]));
    const store = new SessionStore(disk, tapeRoot, dataset.name);
    this.#hours = new SessionHours({ store, dataset, isLive: live !== null, now });
    this.#before = new DaysBefore({
      disk,
      dataset: dataset.name,
      live,
      manifest: () => this.#manifest,
      rootOf: (digest) => this.#rootOf(digest),
    });
  }

  /** Also removes leftovers of an earlier import. */
  static async begin(place: ImportPlace): Promise<DatasetImport> {
    const { disk, tapeRoot, dataset, isDryRun } = place;
    const { name } = dataset;
    const manifest = (await readImported(disk, tapeRoot, name)) ?? {
      dataset: name,
      revision: 0,
      days: new Map(),
    };
    if (!isDryRun) {
      await removeNamelessDays(disk, tapeRoot, manifest);
      await emptyDirectory(disk, place.stagingDirectory);
    }
    return new DatasetImport(place, manifest);
  }

  get manifest(): ImportedManifest {
    return this.#manifest;
  }

  /** Takes effect unless a day is rejected; then no day of the file does. */
  async add(file: FileImport): Promise<ImportedFile> {
    const { disk, stagingDirectory } = this.#place;
    await disk.makeDirectory(stagingDirectory);
    try {
      await using staged = new StagedRows(disk, `${stagingDirectory}/rows`);
      return await this.#whole((written) => this.#judge(file, staged, written));
    } finally {
      await emptyDirectory(disk, stagingDirectory);
    }
  }

  /**
   * Declares that the added files together have every trade of a range, or of each UTC day with trades. Other trades on
   * the tape there are a reason to reject, or are removed if the files may replace. Takes effect like a file.
   */
  async cover(claim: Claim): Promise<Pick<ImportedFile, 'days'>> {
    const { now } = this.#place;
    const met = [...this.#own.keys()].sort().map((symbol) => this.#contracts.get(symbol)!);
    const coverages = contractCoverages({
      said: null,
      covers: claim.covers,
      contract: claim.contract,
      names: this.#names,
      met,
      daysOf: (symbol) => [...(this.#own.get(symbol)?.keys() ?? [])].sort((a, b) => a - b),
      now,
    });
    return await this.#whole(async (written) => {
      const days: DayResult[] = [];
      for (const coverage of coverages) {
        for (const day of saidDays(coverage)) {
          const trades = await this.#ownTrades(coverage.contract, day);
          const has = dayCoverage(coverage, trades, false, false);
          const file = { ...claim, hasTickRule: false, equalsAtEdges: null, sources: [] };
          const result = await this.#judgeDay(file, coverage.contract, trades, has, written);
          if (result !== null) days.push(result);
        }
      }
      return { days };
    });
  }

  /** The trades of a day that this import's files cover, read back from the tape. */
  async #ownTrades({ symbol }: Contract, day: UtcDay): Promise<TradeBatch> {
    const covered = this.#own.get(symbol)?.get(day);
    const before = covered && (await this.#before.find(symbol, day));
    if (covered === undefined || before === undefined || before === null) return new DayRows(day);
    return withoutSpans(await before.read(), differenceOf([[0, DAY_NS]], covered));
  }

  /** Commits all resulting days, or none when one is rejected. */
  async #whole<Result extends Pick<ImportedFile, 'days'>>(
    judge: (written: string[]) => Promise<Result>,
  ): Promise<Result> {
    const written: string[] = [];
    try {
      const result = await judge(written);
      if (result.days.every(({ status }) => status !== 'refused')) {
        await this.#commit(result.days);
        written.length = 0;
      }
      return result;
    } finally {
      for (const path of written) await removeDay(this.#place.disk, path);
    }
  }

  async #judge(file: FileImport, staged: StagedRows, written: string[]): Promise<ImportedFile> {
    const split = await this.#read(file, staged);
    const met = staged.symbols().map((symbol) => this.#contracts.get(symbol)!);
    const coverages = contractCoverages({
      said: file.feed.said(),
      covers: file.covers,
      contract: file.contract,
      names: this.#names,
      met,
      daysOf: (symbol) => staged.daysOf(symbol),
      now: this.#place.now,
    });
    const results: DayResult[] = [];
    const oneSided: OneSidedDay[] = [];
    let inferredSides = 0;
    let isRefused = false;
    for (const coverage of coverages.toSorted(bySymbol)) {
      const traded = staged.daysOf(coverage.contract.symbol);
      for (const day of daysOf(coverage, traded)) {
        const { symbol } = coverage.contract;
        file.onProgress({ step: 'sealing', symbol, day });
        const rows = await staged.take(symbol, day);
        rows.sort();
        if (isOneSided(rows)) oneSided.push({ symbol, day });
        if (file.hasTickRule) inferredSides += inferSides(rows);
        const result = await this.#judgeDay(
          { ...file, sources: [basename(file.path)] },
          coverage.contract,
          rows,
          dayCoverage(coverage, rows, day === traded[0], day === traded.at(-1)),
          isRefused ? null : written,
        );
        rows.free();
        if (result === null) continue;
        results.push(result);
        isRefused ||= result.status === 'refused';
      }
    }
    return {
      path: file.path,
      trades: split.trades,
      inferredSides,
      days: results,
      oneSided,
      leftOut: split.leftOut,
    };
  }

  async #read(file: FileImport, staged: StagedRows): Promise<FileSplit> {
    const { feed, contract, onProgress } = file;
    const { now, rowsMax = ROWS_MAX } = this.#place;
    const options = { names: this.#names, contract, today: dayOf(now), rowsMax };
    const split = new FileSplit(feed, staged, options);
    for await (const batch of feed.trades()) {
      split.add(batch);
      await split.settle();
      onProgress({ step: 'reading', trades: split.trades });
    }
    await file.requireUnchanged();
    return split;
  }

  /** Null: no trade, and the market closed. Paths of new files go to `written`; null: nothing is written. */
  async #judgeDay(
    file: JudgedFile,
    contract: Contract,
    trades: TradeBatch,
    coverage: DayCoverage,
    written: string[] | null,
  ): Promise<DayResult | null> {
    const { disk, dataset, live } = this.#place;
    const { symbol } = contract;
    const { day } = trades;
    const { covered: has } = coverage;
    const open = await this.#hours.openOn(contract, day);
    if (trades.count === 0 && open.length === 0) return null;
    if (live?.isFinished(symbol, day) === false) {
      const refused = { status: 'refused', isUnfinished: true, imported: null } as const;
      return { contract, day, ...refused, difference: null, equalAtEdge: null, covered: has };
    }
    const place = { dataset: dataset.name, symbol, day };
    const found = await this.#before.find(symbol, day);
    const before = found?.day ?? null;
    const { status, after, difference, equalAtEdge } = await judgeDay({
      ...{ place, trades, coverage, open, before },
      around: await this.#before.coveredAround(symbol, day),
      own: spansAround((one) => this.#own.get(symbol)?.get(one), day),
      // The live tape has every trade of its hours once, also at the edge of a file.
      equalsAtEdges: found?.isLive ? (file.equalsAtEdges ?? 'one') : file.equalsAtEdges,
      readBefore: () => found!.read(),
      mayReplace: file.mayReplace,
    });
    if (after === null) {
      const imported = status === 'same' ? before : null;
      return { contract, day, status, imported, difference, equalAtEdge, covered: has };
    }
    const { digest, covered, gaps, outside, strays } = after;
    const stillLive = differenceOf(before?.live ?? [], has);
    const root = this.#writtenRoot();
    if (root !== null && written !== null) {
      if (digest !== before?.digest) written.push(importedDayPath(root, place, digest));
      await writeImportedDay(disk, root, place, after.trades, digest);
      if (root !== this.#place.tapeRoot) this.#tried.add(digest);
    }
    const imported: ImportedDay = {
      digest,
      trades: after.trades.count,
      volume: volumeOf(after.trades),
      covered,
      gaps,
      origin: status === 'replaced' ? 'replaced' : (before?.origin ?? 'imported'),
      sources: [...new Set([...(before?.sources ?? []), ...file.sources])],
      at: new Date(Number(this.#place.now / MS_NS_BIG)).toISOString(),
      sideRule: file.hasTickRule ? 'tick-rule' : (before?.sideRule ?? null),
      ...(outside > 0 && { outside }),
      ...(stillLive.length > 0 && { live: stillLive }),
      ...(strays.length > 0 && { strays }),
    };
    const told = found?.isLive ? 'repaired' : status;
    return { contract, day, status: told, imported, difference, equalAtEdge, covered: has };
  }

  /** The directory for new days; null: none. */
  #writtenRoot(): string | null {
    const { tapeRoot, isDryRun, trialRoot = null } = this.#place;
    return isDryRun ? trialRoot : tapeRoot;
  }

  /** The directory that has the day with this digest. */
  #rootOf(digest: string): string {
    return this.#tried.has(digest) ? this.#place.trialRoot! : this.#place.tapeRoot;
  }

  /** Writes nothing when nothing has changed. The days of a dry run only serve its next files. */
  async #commit(results: readonly DayResult[]): Promise<void> {
    const { isDryRun } = this.#place;
    for (const { contract, day, covered } of results) {
      const of = this.#own.get(contract.symbol) ?? new Map<UtcDay, readonly DaySpan[]>();
      this.#own.set(contract.symbol, of.set(day, unionOf(of.get(day) ?? [], covered)));
    }
    const changed = results.filter(({ status }) => status !== 'same');
    if (changed.length === 0 || this.#writtenRoot() === null) return;
    if (!isDryRun) await this.#hours.save();
    const days = new Map([...this.#manifest.days].map(([symbol, of]) => [symbol, new Map(of)]));
    for (const { contract, day, imported } of changed) {
      const of = days.get(contract.symbol) ?? new Map<UtcDay, ImportedDay>();
      days.set(contract.symbol, of.set(day, imported!));
    }
    const manifest = { ...this.#manifest, revision: this.#manifest.revision + 1, days };
    if (!isDryRun) await writeImported(this.#place.disk, this.#place.tapeRoot, manifest);
    this.#manifest = manifest;
  }
}

/** Days with trades, and days that the file declares. */
function daysOf(coverage: ContractCoverage, traded: readonly UtcDay[]): readonly UtcDay[] {
  return [...new Set([...traded, ...saidDays(coverage)])].sort((a, b) => a - b);
}

function bySymbol(a: ContractCoverage, b: ContractCoverage): number {
  return a.contract.symbol < b.contract.symbol ? -1 : 1;
}

function volumeOf({ size, count }: { readonly size: Int32Array; readonly count: number }): number {
  let volume = 0;
  for (let row = 0; row < count; row += 1) volume += size[row]!;
  return volume;
}

async function emptyDirectory(disk: Disk, directory: string): Promise<void> {
  for (const name of await disk.list(directory)) await disk.remove(`${directory}/${name}`);
}

async function removeDay(disk: Disk, path: string): Promise<void> {
  const directory = path.slice(0, path.lastIndexOf('/'));
  const stem = path.slice(directory.length + 1);
  for (const name of await disk.list(directory)) {
    if (name.startsWith(stem)) await disk.remove(`${directory}/${name}`);
  }
}
