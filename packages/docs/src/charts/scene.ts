/**
 * The scenes of the documentation's charts: a real study run over simulated trades, with candles of the same trades
 * behind it. Market, days and windows are fixed, so a chart changes only with a study, the simulator or the drawing.
 */

import type { CandleData, FigureObject, FigureScene } from '@tapeloom/charts/figures/figure-scene';
import { ObjectSeries } from '@tapeloom/charts/series/object-series';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import { type EpochNs, type Rank, rank, type UtcDay } from '@tapeloom/core/numbers';
import { bars } from '@tapeloom/core/studies/bars';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { RunOutput } from '@tapeloom/core/studies/run-output';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { firstRowAt, type TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, dayOf, epochNs, nsOfDay, utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';

const SYMBOL = 'ESZ6';
/** Selects the simulated contracts; nearby days give the same trades. */
const UNIVERSE_DAY = utcDay(20261113);
const SEED = 1;

export interface Window {
  /** The first UTC day whose trades are used. */
  readonly firstDay: UtcDay;
  readonly from: string;
  readonly to: string;
  /** Where objects start, if not at `from`. */
  readonly objectsFrom?: string;
  readonly candleSeconds: number;
  /** Share of the market's usual trade count. */
  readonly scale: number;
  readonly words: string;
}

/** An hour and a half after the opening bell in New York, with candles of two minutes. */
export const MORNING: Window = {
  firstDay: utcDay(20261108),
  from: '2026-11-10T14:30:00Z',
  to: '2026-11-10T16:00:00Z',
  candleSeconds: 120,
  scale: 1,
  words: 'simulated ES, 2026-11-10',
};

/** The same, with objects since the session opened on the evening before. */
export const SESSION_SO_FAR: Window = { ...MORNING, objectsFrom: '2026-11-09T23:00:00Z' };

/** Its first half hour, with bars of five minutes. */
export const FIRST_HALF_HOUR: Window = {
  ...MORNING,
  to: '2026-11-10T15:00:00Z',
  candleSeconds: 300,
};

export const REGULAR_HOURS: Window = {
  ...MORNING,
  to: '2026-11-10T21:00:00Z',
  candleSeconds: 900,
  scale: 0.2,
};

export const WEEK: Window = {
  firstDay: utcDay(20261101),
  from: '2026-11-05T23:00:00Z',
  to: '2026-11-12T08:00:00Z',
  candleSeconds: 7_200,
  scale: 0.1,
  words: 'simulated ES, the week to 2026-11-12',
};

export class SceneMaker {
  readonly #trades = new Map<string, readonly TradeBatch[]>();

  make(indicator: Indicator, given: Params, window: Window): FigureScene<unknown> {
    const fromNs = instantOf(window.from);
    const toNs = instantOf(window.to);
    const params = paramsOf(indicator, given);
    const candles = this.#run<CandleData>(
      bars,
      paramsOf(bars, { size: window.candleSeconds }),
      window,
      toNs,
    );
    const objects = this.#run<unknown>(indicator, params, window, toNs);
    const objectsFromNs = instantOf(window.objectsFrom ?? window.from);
    const isSeen = ({ ts, removedNs }: FigureObject<unknown>) =>
      ts < toNs && (removedNs ?? ts) >= objectsFromNs;
    return {
      title: indicator.name,
      subtitle: `${givenText(given)} · ${window.words}`,
      colours: 'both',
      params,
      tickSizeNanos: contractOf().tickSizeNanos,
      candles: candles.filter(({ ts }) => ts >= fromNs && ts < toNs),
      objects: objects.filter((object) =>
        indicator.objectsOutliveSession === true && object.removedNs === null
          ? object.ts < toNs
          : isSeen(object),
      ),
    };
  }

  #run<Data>(
    indicator: Indicator,
    params: Params,
    window: Window,
    toNs: EpochNs,
  ): readonly FigureObject<Data>[] {
    const kind = indicator.sessionKind(params);
    const calendar = calendarNamed(contractOf().calendar);
    const lastDay = addDays(dayOf(toNs), 7);
    const book = extendSessionBook(null, calendar, window.firstDay, lastDay, toNs);
    const kept = new ObjectSeries();
    const upsert = ({ id, final, ts, data }: ObjectVersion) =>
      kept.put({ id, final, ts: BigInt(ts), data });
    const output: RunOutput = {
      upsert,
      remove: (id, _final, ts) => kept.remove(id, BigInt(ts)),
      openSession: () => {},
      flushed: () => {},
    };
    const study = indicator.create(params);
    const start = { at: epochNs(window.firstDay, 0), rank: 0 as Rank };
    const run = new StudyRun(study, sessionTable(book, kind), start, { output });
    for (const batch of this.#tradesOf(window)) run.apply(batch);
    run.advance(toNs);
    study.forming(null, upsert);
    return kept.all as readonly FigureObject<Data>[];
  }

  #tradesOf(window: Window): readonly TradeBatch[] {
    const key = `${window.firstDay} ${window.to} ${window.scale}`;
    const known = this.#trades.get(key);
    if (known !== undefined) return known;
    const { market } = createSimUniverse({ seed: SEED, printsScale: window.scale }, UNIVERSE_DAY);
    const to = instantOf(window.to);
    const lastDay = dayOf(to);
    const batches: TradeBatch[] = [];
    for (let day = window.firstDay; day <= lastDay; day = addDays(day, 1)) {
      const columns = new TradeColumns();
      market.appendDay(SYMBOL, day, columns);
      const { ts, price, size, side } = columns;
      const count = day === lastDay ? firstRowAt(ts, 0, columns.count, nsOfDay(to)) : columns.count;
      batches.push({ day, firstRank: rank(1), count, ts, price, size, side });
    }
    this.#trades.set(key, batches);
    return batches;
  }
}

function paramsOf(indicator: Indicator, given: Params): Params {
  const parsed = parseParams(indicator, given);
  if ('params' in parsed) return parsed.params;
  throw new RangeError(`${indicator.id} refuses its chart's parameters`);
}

function givenText(given: Params): string {
  const texts = Object.entries(given).map(([name, value]) => `${name} ${value}`);
  return texts.join(', ') || 'defaults';
}

function contractOf() {
  const contract = createSimUniverse({ seed: SEED, printsScale: 1 }, UNIVERSE_DAY).book.contract(
    SYMBOL,
  );
  if (contract === null) throw new RangeError(`no simulated contract is named ${SYMBOL}`);
  return contract;
}

function instantOf(text: string): EpochNs {
  return (BigInt(Date.parse(text)) * 1_000_000n) as EpochNs;
}
