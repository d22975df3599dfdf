/** Small DBN files with trades of one day, and what is read from them. */

import assert from 'node:assert/strict';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import { dayNumber, utcDay } from '@tapeloom/core/utc-day';
import { type DbnReading, readDbn } from './dbn-reading.ts';
import { DBN_SCHEMAS, type DbnHead, type DbnTrade, DbnWriter } from './dbn-writer.ts';

export const DAY = 20_201_228;
export const MIDNIGHT = BigInt(dayNumber(utcDay(DAY))) * DAY_NS_BIG;
export const NOON = MIDNIGHT + DAY_NS_BIG / 2n;
export const UNDEFINED_PRICE = 2n ** 63n - 1n;
export const LAST_TIME = 0x5fff_ffff_ffff_ffffn;
export const UNDEFINED_TIME = 2n ** 64n - 1n;

export const mapped = (name: string, id: number, fromDay = DAY, toDay = DAY + 1) => ({
  name,
  intervals: [{ fromDay, toDay, output: String(id) }],
});
export const HEAD = {
  version: 3,
  schema: DBN_SCHEMAS.trades,
  mappings: [mapped('ESH1', 5_482)],
} as const;

export function aTrade(change: Partial<DbnTrade> = {}): DbnTrade {
  return {
    instrumentId: 5_482,
    event: NOON,
    price: 3_720_250_000_000n,
    size: 5,
    side: 'A',
    ...change,
  };
}

export function readTrades(trades: readonly Partial<DbnTrade>[], head: Partial<DbnHead> = {}) {
  const writer = new DbnWriter({ ...HEAD, ...head });
  for (const change of trades) writer.trade(aTrade(change));
  return readDbn([writer.bytes]);
}

export function refusalOf(bytes: Uint8Array): string {
  const { refusal, trades } = readDbn([bytes]);
  assert.deepEqual(trades, []);
  return refusal ?? 'was read';
}

export const rows = ({ trades }: DbnReading) => trades.map(({ row }) => row);
export const symbols = ({ trades }: DbnReading) => trades.map(({ symbol }) => symbol);
