/**
 * A small market for tests of feeds: trades of contracts, tick bars with levels, and levels that stay until they are
 * traded through. Its log has every update with its cursor, as the service's has, computed anew from the trades.
 */

import type { HistoryEntry } from '@tapeloom/client';
import type { IndicatorObject } from '@tapeloom/client/stream';

export const DAY_NS = 86_400_000_000_000n;
const HOUR_NS = 3_600_000_000_000n;
/** Sessions last from 22:00 UTC to 21:00 UTC of the next day, so that a roll at midnight lies inside one. */
const OPEN_SHIFT_NS = 2n * HOUR_NS;
const SESSION_NS = 23n * HOUR_NS;

export interface FakeTrade {
  readonly ns: bigint;
  readonly price: number;
  readonly size: number;
  readonly side: -1 | 1;
}

export interface LogEntry {
  readonly t: 'upsert' | 'remove';
  readonly cursor: string;
  readonly ns: bigint;
  /** Of the clock: a close. */
  readonly isDue: boolean;
  readonly object: IndicatorObject<string>;
}

export function sessionOpen(ns: bigint): bigint {
  return ((ns + OPEN_SHIFT_NS) / DAY_NS) * DAY_NS - OPEN_SHIFT_NS;
}

export function sessionClose(ns: bigint): bigint {
  return sessionOpen(ns) + SESSION_NS;
}

export function dayNumber(ns: bigint): string {
  return new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 10).replaceAll('-', '');
}

interface Bar {
  readonly id: string;
  readonly fromNs: bigint;
  readonly open: number;
  readonly levels: Map<number, [number, number]>;
  endNs: bigint;
  high: number;
  low: number;
  close: number;
  trades: number;
  deltaMin: number;
  deltaMax: number;
}

/** The log of `footprint` or `bars` (bars of `size` trades), or of `unfinished-auctions`: a level at each bar's high. */
export class FakeStudy {
  readonly log: LogEntry[] = [];
  readonly #indicator: string;
  readonly #size: number;
  readonly #levels = new Map<string, IndicatorObject<string>>();
  #bar: Bar | null = null;
  #rank = 0;
  #day = '';
  #k = 0;

  constructor(indicator: string, size: number) {
    this.#indicator = indicator;
    this.#size = size;
  }

  trade(trade: FakeTrade): void {
    const { ns, price } = trade;
    this.pass(ns);
    const day = dayNumber(ns);
    if (day !== this.#day) this.#rank = 0;
    this.#day = day;
    this.#rank += 1;
    this.#k = 0;
    for (const [id, level] of [...this.#levels]) {
      if (price <= (level.data as { price: number }).price) continue;
      this.#levels.delete(id);
      this.#add('remove', ns, false, level);
    }
    this.#bar ??= barOf(`${day}.${this.#rank}`, trade);
    addTo(this.#bar, trade);
    const isFull = this.#bar.trades === this.#size;
    this.#tell(ns, isFull, false);
  }

  /** The close of a session ends its last bar. */
  pass(ns: bigint): void {
    const bar = this.#bar;
    if (bar === null) return;
    const closeNs = sessionClose(bar.fromNs);
    if (ns < closeNs) return;
    bar.endNs = closeNs;
    this.#tell(closeNs, true, true);
  }

  #tell(ns: bigint, isFull: boolean, isDue: boolean): void {
    const bar = this.#bar!;
    if (isFull) this.#bar = null;
    if (this.#indicator !== 'unfinished-auctions') {
      this.#add('upsert', ns, isDue, objectOf(bar, isFull, this.#indicator === 'footprint'));
    } else if (isFull) {
      const data = { kind: 'high', price: bar.high, bid: 1, ask: 1, barId: bar.id };
      const level = { id: `${bar.id}.1`, final: true, ts: bar.fromNs, data };
      this.#levels.set(level.id, level);
      this.#add('upsert', ns, isDue, level);
    }
  }

  #add(t: LogEntry['t'], ns: bigint, isDue: boolean, object: IndicatorObject<string>): void {
    this.#k += 1;
    const cursor = `${this.#day}.${this.#rank}.${this.#k}`;
    this.log.push({ t, cursor, ns, isDue, object });
  }
}

function barOf(id: string, { ns, price }: FakeTrade): Bar {
  const prices = { open: price, high: price, low: price, close: price };
  const levels = new Map<number, [number, number]>();
  return { id, fromNs: ns, endNs: ns, ...prices, trades: 0, deltaMin: 0, deltaMax: 0, levels };
}

function addTo(bar: Bar, { ns, price, size, side }: FakeTrade): void {
  const level = bar.levels.get(price) ?? [0, 0];
  level[side === -1 ? 0 : 1] += size;
  bar.levels.set(price, level);
  bar.trades += 1;
  bar.endNs = ns;
  bar.close = price;
  bar.high = Math.max(bar.high, price);
  bar.low = Math.min(bar.low, price);
  const { delta } = sumsOf(bar);
  bar.deltaMin = Math.min(bar.deltaMin, delta);
  bar.deltaMax = Math.max(bar.deltaMax, delta);
}

function sumsOf({ levels }: Bar) {
  let [bid, ask] = [0, 0];
  for (const [sold, bought] of levels.values()) {
    bid += sold;
    ask += bought;
  }
  return { bid, ask, volume: bid + ask, delta: ask - bid, unknown: 0 };
}

function objectOf(bar: Bar, final: boolean, hasLevels: boolean): IndicatorObject<string> {
  const { id, fromNs: ts, open, high, low, close, trades, deltaMin, deltaMax, endNs } = bar;
  const sums = sumsOf(bar);
  const end = String(endNs);
  const levels = [...bar.levels]
    .sort(([a], [b]) => a - b)
    .map(([price, sides]) => [price, ...sides]);
  const rows = { levels, poc: null, vah: null, val: null, imbalances: [] };
  const data = { open, high, low, close, ...sums, trades, deltaMin, deltaMax, end };
  return { id, final, ts, data: hasLevels ? { ...data, ...rows } : data };
}

export function stateOf(log: readonly LogEntry[]): Map<string, LogEntry> {
  const state = new Map<string, LogEntry>();
  for (const entry of log) {
    if (entry.t === 'remove') state.delete(entry.object.id);
    else state.set(entry.object.id, entry);
  }
  return state;
}

export function asEntry({ t, cursor, object, ns }: LogEntry): HistoryEntry<string> {
  if (t === 'upsert') return { t, cursor, object };
  return { t, cursor, id: object.id, final: object.final, ts: ns };
}
