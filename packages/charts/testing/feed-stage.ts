/** A chart's feed on a fake service, and what it should hold. */

import { setImmediate as turn } from 'node:timers/promises';
import { ChartFeed } from '../src/feed/chart-feed.ts';
import { HistoryBudget, type TextStore } from '../src/feed/history-budget.ts';
import { PlanRoom } from '../src/feed/plan-room.ts';
import { type BarObject, BarSeries } from '../src/series/bar-series.ts';
import { ChartContent } from '../src/series/chart-content.ts';
import { type ChartSpec, DEFAULT_CHART } from '../src/spec/chart-spec.ts';
import { ALIAS, FakeService, type FakeServiceOptions } from './fake-service.ts';

export const STAGE_SPEC: ChartSpec = {
  ...DEFAULT_CHART,
  instrument: ALIAS,
  bar: { kind: 'tick', size: 3, session: 'full' },
  ...{ layers: [], panes: [], side: 'none' },
};

export class FeedStage {
  readonly service: FakeService;
  readonly content = new ChartContent();
  readonly budget: HistoryBudget;
  readonly room: PlanRoom;
  readonly feed: ChartFeed;
  #price = 100;

  constructor(
    options: FakeServiceOptions & {
      readonly spec?: Partial<ChartSpec>;
      readonly store?: TextStore;
    } = {},
  ) {
    const service = new FakeService(options);
    this.service = service;
    const { store = { get: () => null, set: () => {} } } = options;
    const unitsPerMonth = service.limits.computeBudget;
    this.budget = new HistoryBudget({ unitsPerMonth, store, wallMs: () => service.nowMs });
    this.room = new PlanRoom(service.plan, service.limits);
    this.feed = new ChartFeed({
      ...{ key: 'a', sources: service, content: this.content, clock: service.clock },
      ...{ budget: this.budget, limits: this.room, spec: { ...STAGE_SPEC, ...options.spec } },
    });
  }

  /** Trades a second apart, up and down. */
  trades(count: number, seed = 0): void {
    for (let at = 0; at < count; at += 1) {
      this.service.pass(1_000);
      const step = (at * 7 + seed * 3) % 5;
      this.#price += [2, -1, -2, 1, 0][step]!;
      this.service.trade(this.#price, 1 + ((at + seed) % 4), (at + seed) % 3 === 0 ? -1 : 1);
    }
  }

  hours(count: number): void {
    this.service.pass(count * 3_600_000);
  }

  async open(): Promise<this> {
    this.feed.open();
    await this.settle();
    return this;
  }

  /** Until nothing happens any more without time. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 8; quiet += 1) {
      const { revision } = this.content;
      await turn();
      if (this.content.revision !== revision || this.content.edge.t === 'loading') quiet = 0;
    }
  }

  async back(): Promise<void> {
    // A gesture of its own.
    this.service.pass(2_000);
    this.feed.loadBack();
    await this.settle();
  }

  /** Scrolls until nothing older can be loaded by itself. */
  async backToStart(): Promise<void> {
    for (let gestures = 0; this.feed.hem === null; gestures += 1) {
      if (gestures > 200) throw new Error('scrolled for ever');
      await this.back();
    }
  }

  get text(): string {
    return columnsText(this.content.bars);
  }

  /** What the alias's bars are by the log alone, since the first that is loaded. */
  expected(indicator = 'footprint'): string {
    const series = new BarSeries();
    const { service } = this;
    const { rolls } = service;
    const params = { size: 3 };
    rolls.forEach(({ from, symbol }, at) => {
      const end = rolls[at + 1]?.from ?? null;
      for (const { t, object, ns } of service.logOf(symbol, { indicator, params })) {
        const isOurs = object.ts >= from && (end === null || ns < end) && from <= service.nowNs;
        if (t === 'upsert' && isOurs) series.put(object as BarObject);
      }
    });
    return columnsText(series);
  }
}

/** One line a column. */
export function columnsText({ columns }: BarSeries): string {
  const plain = (_: string, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Float64Array ? [...value].join(' ') : value;
  };
  return columns.map((column) => JSON.stringify(column, plain)).join('\n');
}
