/** The traits that make the simulated tape resemble a market, measured on whole days with generous bounds. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { firstRowAt } from '@tapeloom/core/trade-batch';
import { utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '../sim-universe.ts';
import { TradeColumns } from './trade-columns.ts';

const universe = createSimUniverse({ seed: 1, printsScale: 1 }, utcDay(20261115));
const HOUR_NS = 3_600e9;
const es = dayOfTrades('ESZ6', utcDay(20261112));
const clusters = clustersOf(es);

interface Cluster {
  readonly ts: number;
  readonly side: number;
  readonly lots: number;
  readonly prints: number;
  readonly levels: number;
}

function dayOfTrades(symbol: string, day: UtcDay): TradeColumns {
  const columns = new TradeColumns();
  universe.market.appendDay(symbol, day, columns);
  return columns;
}

/** Prints with one timestamp and side. */
function clustersOf({ count, ts, price, size, side }: TradeColumns): Cluster[] {
  const found: Cluster[] = [];
  for (let i = 0; i < count; ) {
    let lots = 0;
    let j = i;
    for (; j < count && ts[j] === ts[i] && side[j] === side[i]; j += 1) lots += size[j]!;
    const levels = new Set(price.subarray(i, j)).size;
    found.push({ ts: ts[i]!, side: side[i]!, lots, prints: j - i, levels });
    i = j;
  }
  return found;
}

function printsBetween({ count, ts }: TradeColumns, fromHour: number, toHour: number): number {
  return ts.subarray(0, count).filter((at) => at >= fromHour * HOUR_NS && at < toHour * HOUR_NS)
    .length;
}

/** For values with a mean near 0. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const product = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

test('every front contract has about its number of prints on a regular day', () => {
  const expected: readonly (readonly [string, number])[] = [
    ['ESZ6', 500_000],
    ['NQZ6', 430_000],
    ['CLZ6', 250_000],
    ['GCZ6', 240_000],
    ['ZNZ6', 175_000],
    ['6EZ6', 102_000],
    ['BTCX6', 200_000],
  ];
  for (const [symbol, prints] of expected) {
    const days = [20261103, 20261110];
    const mean =
      days.reduce((sum, day) => sum + dayOfTrades(symbol, utcDay(day)).count, 0) / days.length;
    assert.ok(mean > prints * 0.7 && mean < prints * 1.35, `${symbol} ${mean}`);
  }
});

test('many prints share a timestamp, one-lots are the most common, sizes have a long tail', () => {
  const { count, ts, size } = es;
  let equal = 0;
  for (let i = 1; i < count; i += 1) if (ts[i] === ts[i - 1]) equal += 1;
  assert.ok(equal / count > 0.35 && equal / count < 0.7, `${equal / count}`);
  const ones = size.subarray(0, count).filter((lots) => lots === 1).length;
  assert.ok(ones / count > 0.4 && ones / count < 0.85);
  assert.ok(clusters.filter(({ lots }) => lots >= 100).length > 100);
  assert.ok(clusters.filter(({ lots }) => lots >= 500).length >= 5);
});

test('sweeps over three and more prices happen, in one direction each', () => {
  assert.ok(clusters.filter(({ levels, side }) => levels >= 3 && side !== 0).length > 100);
  const { count, ts, price, side } = es;
  for (let i = 1; i < count; i += 1) {
    if (ts[i] !== ts[i - 1] || side[i] === 0) continue;
    assert.ok((price[i]! - price[i - 1]!) * side[i]! >= 0);
  }
});

test('auctions open the session and close regular hours with prints that have no side', () => {
  const noSide = clusters.filter(({ side, prints }) => side === 0 && prints >= 5);
  const near = (at: number) => noSide.some(({ ts }) => Math.abs(ts - at) < 50e6);
  assert.ok(near(21 * HOUR_NS), 'regular hours close at 21:00 UTC in winter');
  assert.ok(near(23 * HOUR_NS), 'the session opens at 23:00 UTC in winter');
  const unknown = clusters.filter(({ side }) => side === 0).length / clusters.length;
  assert.ok(unknown > 0.0005 && unknown < 0.01);
});

test('the open and the close are busy, noon is calmer, the night is quiet, the break is empty', () => {
  const perHour = (from: number, to: number) => printsBetween(es, from, to) / (to - from);
  const noon = perHour(17, 18.5);
  assert.ok(perHour(14.5, 15) > 1.8 * noon);
  assert.ok(perHour(20.5, 21) > 1.3 * noon);
  assert.ok(noon > 2.5 * perHour(1, 7));
  assert.ok(perHour(8, 9) > 1.2 * perHour(3, 6));
  assert.equal(printsBetween(es, 22, 23), 0);
  // Payrolls at 13:30 UTC on the first Friday.
  const notes = dayOfTrades('ZNZ6', utcDay(20261106));
  assert.ok(printsBetween(notes, 13.5, 13.6) > 4 * printsBetween(notes, 13.1, 13.2));
});

test('arrivals come in bursts', () => {
  const perSecond = new Float64Array(1_800);
  for (const { ts } of clusters) {
    const second = Math.floor((ts - 16 * HOUR_NS) / 1e9);
    if (second >= 0 && second < perSecond.length) perSecond[second]! += 1;
  }
  const mean = perSecond.reduce((a, b) => a + b) / perSecond.length;
  let variance = 0;
  let covariance = 0;
  for (let i = 1; i < perSecond.length; i += 1) {
    variance += (perSecond[i]! - mean) ** 2 / perSecond.length;
    covariance += ((perSecond[i]! - mean) * (perSecond[i - 1]! - mean)) / perSecond.length;
  }
  assert.ok(variance / mean > 1.8, `${variance / mean} where independent arrivals have 1`);
  assert.ok(covariance / variance > 0.08, `${covariance / variance}`);
});

test('prices move with the aggressor and bounce between bid and ask', () => {
  const { count, price, side } = es;
  let agreeing = 0;
  let moves = 0;
  let reversals = 0;
  let lastMove = 0;
  for (let i = 1; i < count; i += 1) {
    const move = price[i]! - price[i - 1]!;
    if (move === 0 || side[i] === 0) continue;
    moves += 1;
    if (Math.sign(move) === side[i]) agreeing += 1;
    if (move * lastMove < 0) reversals += 1;
    lastMove = move;
  }
  assert.ok(agreeing / moves > 0.75, `${agreeing / moves}`);
  assert.ok(reversals / moves > 0.45 && reversals / moves < 0.85, `${reversals / moves}`);
});

test('at times one price takes a lot from one side within ten seconds, and holds', () => {
  const { count, ts, price, size, side } = es;
  let found = 0;
  for (let from = 14.5 * HOUR_NS; from < 21 * HOUR_NS; from += 10e9) {
    const sold = new Map<number, number>();
    let lowest = Number.POSITIVE_INFINITY;
    let i = firstRowAt(ts, 0, count, from);
    for (; i < count && ts[i]! < from + 15e9; i += 1) {
      lowest = Math.min(lowest, price[i]!);
      const inWindow = ts[i]! < from + 10e9 && side[i] === -1;
      if (inWindow) sold.set(price[i]!, (sold.get(price[i]!) ?? 0) + size[i]!);
    }
    for (const [at, lots] of sold) if (lots >= 150 && lowest >= at - 1) found += 1;
  }
  assert.ok(found >= 5 && found < 400, `${found}`);
});

test('over five minutes the delta goes with the price', () => {
  const bars = new Map<number, { open: number; close: number; delta: number }>();
  for (let i = 0; i < es.count; i += 1) {
    const key = Math.floor(es.ts[i]! / 300e9);
    const bar = bars.get(key) ?? { open: es.price[i]!, close: 0, delta: 0 };
    bars.set(key, bar);
    bar.close = es.price[i]!;
    bar.delta += es.side[i]! * es.size[i]!;
  }
  const moves = [...bars.values()].map(({ open, close }) => close - open);
  const deltas = [...bars.values()].map(({ delta }) => delta);
  const found = correlation(moves, deltas);
  assert.ok(found > 0.3 && found < 0.95, `${found}`);
});

test('days move by about the product’s volatility; stock indices move together', () => {
  const closes = (columns: TradeColumns) => {
    const prices: number[] = [];
    for (let i = 0, at = 0; at < 21 * HOUR_NS; at += 300e9) {
      while (i < columns.count - 1 && columns.ts[i]! < at) i += 1;
      prices.push(columns.price[i]!);
    }
    return prices;
  };
  const returns = (prices: number[]) => prices.slice(1).map((p, i) => p / prices[i]! - 1);
  const a = returns(closes(es));
  const b = returns(closes(dayOfTrades('NQZ6', utcDay(20261112))));
  assert.ok(correlation(a, b) > 0.5);
  const deviation = Math.sqrt(a.reduce((sum, x) => sum + x * x, 0));
  assert.ok(deviation > 0.004 && deviation < 0.02, `${deviation}`);
});
