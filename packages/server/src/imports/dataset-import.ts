/**
 * Files that come into a dataset, one after the other. Each takes effect whole or not at all: its days are written beside
 * what is there, then the session books reach as far as they do, then one manifest names them. Killed anywhere, the next
 * import begins with what was named, and removes the rest. Who calls holds the dataset's lock, unless nothing is written.
 */

import { basename } from 'node:path';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS, MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { DayRows } from '../feeds/day-rows.ts';
import type { OpenFeed } from '../feeds/open-feed.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import type { Disk } from '../platform/disk.ts';
import {
  importedDayPath,
  readImportedDay,
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
import {
  type ContractCoverage,
  contractCoverages,
  dayCoverage,
  saidDays,
} from './file-coverage.ts';
import { FileSplit } from './file-split.ts';
import { type DayStatus, judgeDay } from './judge-day.ts';
import type { Difference, EqualsAtEdges, PlainTrade } from './merge-day.ts';
import { SessionHours } from './session-hours.ts';
import { type InstantRange, unionOf } from './spans.ts';
import { StagedRows } from './staged-rows.ts';
import { inferSides } from './tick-rule.ts';

/** 17 bytes each, with room to grow. */
const ROWS_MAX = 4_000_000;
/** Of fewer trades, all may well be of one side. */
const ONE_SIDED_TRADES_MIN = 200;

export interface ImportPlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  /** Where trades wait that are too many for memory; made when needed, emptied afterwards. */
  readonly stagingDirectory: string;
  readonly dataset: ListedDataset;
  readonly now: EpochNs;
  /** Nothing is written to the tape then. */
  readonly isDryRun: boolean;
  /** Where a dry run over several files keeps days, so that files are compared with those before them; empty at first. */
  readonly trialRoot?: string;
  readonly rowsMax?: number;
}

export interface FileImport {
  readonly path: string;
  readonly feed: OpenFeed;
  readonly contract: Contract | null;
  readonly covers: InstantRange | null;
  readonly hasTickRule: boolean;
  readonly mayReplace: boolean;
  /** What equal trades are where the file meets what is there. */
  readonly equalsAtEdges: EqualsAtEdges;
  /** Rejects, after all was read, when the file is not what it was at the begin. */
  readonly requireUnchanged: () => Promise<void>;
  /** Told now and then; may throw to end it. */
  readonly onProgress: (progress: ImportProgress) => void;
}

export type ImportProgress =
  | { readonly step: 'reading'; readonly trades: number }
  | { readonly step: 'sealing'; readonly symbol: string; readonly day: UtcDay };

export interface ImportedFile {
  readonly path: string;
  readonly trades: number;
  readonly inferredSides: number;
  /** By contract, days ascending. */
  readonly days: readonly DayResult[];
  /** Days on which the file has many trades, all of them bought or all of them sold: its sides may be wrong. */
  readonly oneSided: readonly OneSidedDay[];
  readonly leftOut: ReadonlyMap<string, number>;
}

export interface OneSidedDay {
  readonly symbol: string;
  readonly day: UtcDay;
}

export interface DayResult {
  readonly contract: Contract;
  readonly day: UtcDay;
  readonly status: DayStatus;
  /** As it is afterwards; null where it is refused. */
  readonly imported: ImportedDay | null;
  readonly difference: Difference | null;
  readonly equalAtEdge: PlainTrade | null;
}

export class DatasetImport {
  readonly #place: ImportPlace;
  readonly #names: ContractNames;
  readonly #contracts: ReadonlyMap<string, Contract>;
  readonly #hours: SessionHours;
  #manifest: ImportedManifest;
  /** Days that only a dry run has: the digests of their trades. */
  readonly #tried = new Set<string>();

  private constructor(place: ImportPlace, manifest: ImportedManifest) {
    const { disk, tapeRoot, dataset, now } = place;
    this.#place = place;
    this.#manifest = manifest;
    this.#names = new ContractNames(dataset);
    this.#contracts = new Map(dataset.contracts.map(({ contract }) => [contract.symbol, contract]));
    this.#hours = new SessionHours(new SessionStore(disk, tapeRoot, dataset.name), dataset, now);
  }

  /** Also removes what an earlier import has left. */
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

  /** Takes effect unless a day was refused; then nothing of the file does. */
  async add(file: FileImport): Promise<ImportedFile> {
    const { disk, stagingDirectory } = this.#place;
    await disk.makeDirectory(stagingDirectory);
    const written: string[] = [];
    try {
      await using staged = new StagedRows(disk, `${stagingDirectory}/rows`);
      const result = await this.#judge(file, staged, written);
      const isRefused = result.days.some(({ status }) => status === 'refused');
      if (!isRefused) {
        await this.#commit(result.days);
        written.length = 0;
      }
      return result;
    } finally {
      for (const path of written) await removeDay(disk, path);
      await emptyDirectory(disk, stagingDirectory);
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
        const isEdge = [day === traded[0], day === traded.at(-1)] as const;
        const result = await this.#judgeDay(
          file,
          coverage,
          rows,
          isEdge,
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

  /** Null for a day on which there was nothing: no trade, and the market closed. Files go to `written`; null: none are. */
  async #judgeDay(
    file: FileImport,
    coverage: ContractCoverage,
    trades: DayRows,
    [isFirst, isLast]: readonly [boolean, boolean],
    written: string[] | null,
  ): Promise<DayResult | null> {
    const { disk, dataset } = this.#place;
    const { contract } = coverage;
    const { day } = trades;
    const open = await this.#hours.openOn(contract, day);
    if (trades.count === 0 && open.length === 0) return null;
    const place = { dataset: dataset.name, symbol: contract.symbol, day };
    const before = this.#manifest.days.get(contract.symbol)?.get(day) ?? null;
    const { status, after, difference, equalAtEdge } = await judgeDay({
      place,
      trades,
      coverage: dayCoverage(coverage, trades, isFirst, isLast),
      open,
      before,
      around: this.#coveredAround(contract, day),
      equalsAtEdges: file.equalsAtEdges,
      readBefore: () => readImportedDay(disk, this.#rootOf(before!.digest), place, before!.digest),
      mayReplace: file.mayReplace,
    });
    if (after === null) {
      const imported = status === 'same' ? before : null;
      return { contract, day, status, imported, difference, equalAtEdge };
    }
    const { digest, covered, gaps } = after;
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
      sources: [...new Set([...(before?.sources ?? []), basename(file.path)])],
      at: new Date(Number(this.#place.now / MS_NS_BIG)).toISOString(),
      sideRule: file.hasTickRule ? 'tick-rule' : (before?.sideRule ?? null),
    };
    return { contract, day, status, imported, difference, equalAtEdge };
  }

  /** What is there of a day and of those beside it, by the clock of the day. */
  #coveredAround({ symbol }: Contract, day: UtcDay): readonly DaySpan[] {
    const days = this.#manifest.days.get(symbol);
    const spans = [-1, 0, 1].flatMap((offset) =>
      (days?.get(addDays(day, offset))?.covered ?? []).map(([from, to]): DaySpan => {
        return [from + offset * DAY_NS, to + offset * DAY_NS];
      }),
    );
    return unionOf(spans, []);
  }

  /** Where days are written; null: nowhere. */
  #writtenRoot(): string | null {
    const { tapeRoot, isDryRun, trialRoot = null } = this.#place;
    return isDryRun ? trialRoot : tapeRoot;
  }

  /** Where the day with these trades is. */
  #rootOf(digest: string): string {
    return this.#tried.has(digest) ? this.#place.trialRoot! : this.#place.tapeRoot;
  }

  /** Nothing is written where nothing has changed, nor by a dry run, whose days are there for its next files only. */
  async #commit(results: readonly DayResult[]): Promise<void> {
    const { isDryRun } = this.#place;
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

/** Those with trades, and those that the file says it has. */
function daysOf(coverage: ContractCoverage, traded: readonly UtcDay[]): readonly UtcDay[] {
  return [...new Set([...traded, ...saidDays(coverage)])].sort((a, b) => a - b);
}

function bySymbol(a: ContractCoverage, b: ContractCoverage): number {
  return a.contract.symbol < b.contract.symbol ? -1 : 1;
}

function isOneSided({ side, count }: DayRows): boolean {
  if (count < ONE_SIDED_TRADES_MIN || side[0] === 0) return false;
  for (let row = 1; row < count; row += 1) if (side[row] !== side[0]) return false;
  return true;
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
