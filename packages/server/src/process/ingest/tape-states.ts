/** What the ingest threads last reported of their tapes, by dataset. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { NodeTape } from '../../operations/cluster/node-report.ts';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';
import { type FeedNews, NO_NEWS } from '../watch/feed-news.ts';
import type { FillPart, IngestReport, NewestDays } from './ingest-wire.ts';

export interface FillProgress {
  readonly days: number;
  readonly daysTotal: number;
}

export interface TapeState {
  report: IngestReport | null;
  /** The cursor floors of a shared tape. */
  floors: string | null;
  /** Days that other nodes have and this one is missing. */
  missing: NewestDays;
  isLive: boolean;
  /** Whether nothing can be ingested at the moment. */
  isPaused: boolean;
  feedNews: FeedNews;
  /** Days of the past that are made or fetched. */
  readonly fills: Partial<Record<FillPart, FillProgress>>;
  /** Whether nothing will be ingested before a restart. */
  isDown: boolean;
}

export class TapeStates {
  readonly #states: ReadonlyMap<string, TapeState>;

  constructor(datasets: readonly string[]) {
    const begun = () => ({
      ...{ report: null, floors: null, missing: {} },
      ...{ isLive: false, isPaused: false, isDown: false },
      feedNews: NO_NEWS,
      fills: {},
    });
    this.#states = new Map(datasets.map((dataset) => [dataset, begun()]));
  }

  of(dataset: string): TapeState {
    return this.#states.get(dataset)!;
  }

  entries(): Iterable<readonly [string, TapeState]> {
    return this.#states.entries();
  }

  get isLive(): boolean {
    return this.#states.values().every(({ isLive }) => isLive);
  }

  get isPaused(): boolean {
    return this.#states.values().some(({ isPaused }) => isPaused);
  }

  get isDown(): boolean {
    return this.#states.values().some(({ isDown }) => isDown);
  }

  /** Time behind the clock of the tape furthest behind; null before the first report. */
  get lagMs(): number | null {
    const lags = this.#reports.map(({ lagMs }) => lagMs);
    return lags.length === 0 ? null : Math.max(...lags);
  }

  /** Notes the progress of one dataset, and returns that of all. */
  filled(dataset: string, part: FillPart, progress: FillProgress): FillProgress {
    this.of(dataset).fills[part] = progress;
    const all = [...this.#states.values()].flatMap(({ fills }) => fills[part] ?? []);
    return {
      days: all.reduce((sum, { days }) => sum + days, 0),
      daysTotal: all.reduce((sum, { daysTotal }) => sum + daysTotal, 0),
    };
  }

  /** The latest watermark. */
  get latest(): EpochNs | null {
    const promises = this.#reports.flatMap(({ promise }) => promise ?? []);
    return promises.reduce<EpochNs | null>((a, b) => (a === null || b > a ? b : a), null);
  }

  /** By dataset; empty for a single process. */
  get shared(): Readonly<Record<string, SharedTapeReport>> {
    const shared = Array.from(this.#states, ([dataset, { report }]) => {
      return report?.shared === undefined ? [] : [[dataset, report.shared] as const];
    });
    return Object.fromEntries(shared.flat());
  }

  /** What other nodes learn of them. */
  get reported(): Readonly<Record<string, NodeTape>> {
    const tapes = Object.entries(this.shared).map(([dataset, shared]) => {
      const { promise = null, lagMs = 0 } = this.of(dataset).report ?? {};
      return [dataset, { ...shared, watermark: promise?.toString() ?? null, lagMs }] as const;
    });
    return Object.fromEntries(tapes);
  }

  get #reports(): readonly IngestReport[] {
    return [...this.#states.values()].flatMap(({ report }) => report ?? []);
  }
}
