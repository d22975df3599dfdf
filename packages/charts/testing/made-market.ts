/**
 * Footprints of a made-up market, the same at every call: each bar has exactly as many levels as asked for, and its
 * totals, point of control, value area and imbalances are those the service would send.
 */

import type { IndicatorObject } from '@tapeloom/client/stream';
import { type ImbalanceRule, imbalances } from '@tapeloom/core/studies/imbalance';
import { pocIndex } from '@tapeloom/core/studies/poc';
import type { PriceRows } from '@tapeloom/core/studies/price-histogram';
import { valueArea } from '@tapeloom/core/studies/value-area';
import type { FootprintData } from '@tapeloom/protocol/indicators';
import type { SessionSpan } from '../src/series/sessions.ts';

export type Footprint = IndicatorObject<'footprint'>;

const LEVELS = 40;
const BAR_SECONDS = 300;
const SECOND_NS = 1_000_000_000n;
const BAR_NS = BigInt(BAR_SECONDS) * SECOND_NS;
/** A trading day of 23 hours from 23:00 UTC, as that of ES in winter. */
const DAY_NS = 86_400n * SECOND_NS;
const SESSION_NS = 82_800n * SECOND_NS;
const FIRST_OPEN_NS = BigInt(Date.UTC(2026, 0, 4, 23)) * 1_000_000n;
const BARS_A_SESSION = 276;
const FIRST_PRICE = 27_000;
const RULE: ImbalanceRule = { ratioHundredths: 300, minVolume: 10, zeroCounts: false };
const VALUE_AREA_PERCENT = 70;

/** Bars of five minutes, without a pause but for the hour between two sessions. */
export function madeFootprints(count: number, levels = LEVELS): readonly Footprint[] {
  const random = numbersFrom(20_261_117);
  let middle = FIRST_PRICE;
  return Array.from({ length: count }, (_, index) => {
    middle += Math.round((random() - 0.5) * levels * 0.6);
    return madeBar(index, middle - (levels >> 1), levels, random);
  });
}

/** The same bar after further trades: one level has more volume, and the bar is not final. */
export function afterTrades(bar: Footprint, nth: number): Footprint {
  const { data } = bar;
  const at = (nth * 7) % data.levels.length;
  const side = nth % 2;
  const lots = 1 + (nth % 5);
  const levels = data.levels.map((level, place) =>
    place === at
      ? ([level[0], level[1] + lots * (1 - side), level[2] + lots * side] as const)
      : ([level[0], level[1], level[2]] as const),
  );
  const close = levels[at]![0];
  return { ...bar, final: false, data: barData(levels, data.open, close, data.end) };
}

/** The sessions that contain these bars. */
export function madeSessions(bars: number): readonly SessionSpan[] {
  return Array.from({ length: Math.ceil(bars / BARS_A_SESSION) }, (_, day) => {
    const openNs = openOf(day);
    return {
      date: dateOf(day),
      openNs,
      closeNs: openNs + SESSION_NS,
      regular: {
        openNs: openNs + 55_800n * SECOND_NS,
        closeNs: openNs + 79_200n * SECOND_NS,
      },
    };
  });
}

/** The pages of `GET /v1/history` with these objects, as the service writes them. */
export function historyPages(bars: readonly Footprint[], perPage: number): readonly string[] {
  const pages = Array.from({ length: Math.ceil(bars.length / perPage) }, (_, page) =>
    bars.slice(page * perPage, (page + 1) * perPage),
  );
  return pages.map((objects, page) =>
    JSON.stringify({
      ...{ instrument: 'ES.c.0', contract: 'ESH6', dataset: 'SIM', tickSizeNanos: 250_000_000 },
      ...{ engineFingerprint: 'made', to: '1800000000000000000', lookBackFrom: null },
      items: objects.map(({ id, final, ts, data }) => {
        return { t: 'upsert', cursor: `${id}.0`, id, final, ts: `${ts}`, data };
      }),
      next: page + 1 < pages.length ? `${pages[page + 1]![0]!.id}.0` : null,
      computeUnits: 1,
    }),
  );
}

function madeBar(index: number, low: number, count: number, random: () => number): Footprint {
  const day = Math.floor(index / BARS_A_SESSION);
  const place = index % BARS_A_SESSION;
  const ts = openOf(day) + BigInt(place) * BAR_NS;
  const [top, width] = [0.2 + 0.6 * random(), 0.12 + 0.2 * random()];
  const levels = Array.from({ length: count }, (_, row) => {
    const distance = (row / count - top) / width;
    const volume = 40 + 900 * Math.exp(-distance * distance) * (0.4 + random());
    const share = 0.15 + 0.7 * random();
    return [low + row, Math.round(volume * share), Math.round(volume * (1 - share))] as const;
  });
  const [open, close] = [random(), random()].map((share) => low + Math.floor(share * count));
  const data = barData(levels, open!, close!, `${ts + BAR_NS}`);
  return { id: `${dateOf(day)}.${place * 4_000 + 1}`, final: true, ts, data };
}

function openOf(day: number): bigint {
  return FIRST_OPEN_NS + BigInt(day) * DAY_NS;
}

/** The trading date is the one on which the session ends. */
function dateOf(day: number): number {
  const date = new Date(Number((openOf(day) + SESSION_NS) / 1_000_000n));
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

function barData(
  levels: readonly (readonly [number, number, number])[],
  open: number,
  close: number,
  end: string,
): FootprintData {
  const rows = rowsOf(levels);
  const bid = sum(rows.bid);
  const ask = sum(rows.ask);
  const delta = ask - bid;
  const poc = pocIndex(rows, 'centre');
  const [from, to] = valueArea(rows, poc, VALUE_AREA_PERCENT);
  return {
    ...{ open, close, high: rows.high, low: rows.low, volume: bid + ask, bid, ask, unknown: 0 },
    ...{ trades: Math.round((bid + ask) / 5), delta, end, levels },
    deltaMin: Math.min(0, delta) - 40,
    deltaMax: Math.max(0, delta) + 60,
    ...{ poc: rows.price[poc]!, vah: rows.price[to]!, val: rows.price[from]! },
    imbalances: imbalances(rows, RULE),
  };
}

function rowsOf(levels: readonly (readonly [number, number, number])[]): PriceRows {
  const column = (at: 0 | 1 | 2) => Float64Array.from(levels, (level) => level[at]);
  const [price, bid, ask] = [column(0), column(1), column(2)];
  const count = levels.length;
  return {
    ...{ group: 1, count, price, bid, ask },
    unknown: new Float64Array(count),
    total: bid.map((lots, row) => lots + ask[row]!),
    touched: new Float64Array(count),
    low: price[0]!,
    high: price[count - 1]!,
  };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** mulberry32, as the simulation's. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
