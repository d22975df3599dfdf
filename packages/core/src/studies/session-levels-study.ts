/**
 * The levels of a trading day. Every level is one object that starts with a trade of the day. Highs and lows move with
 * the trades of their time window and are final when it ends; the others are final at birth. All open windows started
 * at the same time and so have the same range: a trade is compared with one high and one low only. Changes of several
 * levels at once are in the order of their numbers.
 */

import type { SessionKind } from '../calendar/session.ts';
import type { Rank, UtcDay } from '../numbers.ts';
import { firstRowAt, type TradeBatch } from '../trade-batch.ts';
import { MINUTE_NS } from '../units.ts';
import { epochNsText } from '../utc-day.ts';
import { InheritedValue } from './inherited-value.ts';
import {
  compareMarks,
  type FormingVisitor,
  type Mark,
  type ObjectVersion,
  type Study,
  type StudyOutput,
  type StudySession,
} from './study.ts';

/** The most sessions back from which the previous levels may come. */
export const PREVIOUS_SESSIONS_MAX = 10;

/** In the order of their numbers 1, 2, 3 … */
export const SESSION_LEVEL_KINDS = [
  'open',
  'high',
  'low',
  'previousHigh',
  'previousLow',
  'previousClose',
  'overnightHigh',
  'overnightLow',
  'initialBalanceHigh',
  'initialBalanceLow',
] as const;
type LevelKind = (typeof SESSION_LEVEL_KINDS)[number];

/** A level that moves: its newest version and that version's mark. */
interface MovingLevel {
  readonly kind: LevelKind;
  id: string;
  ts: string;
  price: number;
  readonly mark: Mark;
}

/** [startNs, endNs) of the session, with the highest and lowest price traded in it so far. */
class RangeWindow {
  readonly high: MovingLevel;
  readonly low: MovingLevel;
  startNs = 0;
  endNs = 0;
  hasTraded = false;
  hasEnded = false;

  constructor(high: LevelKind, low: LevelKind) {
    this.high = newLevel(high);
    this.low = newLevel(low);
  }

  get forming(): boolean {
    return this.hasTraded && !this.hasEnded;
  }

  /** A session opens; without times it has no such window. */
  reset(startNs = Number.POSITIVE_INFINITY, endNs = Number.POSITIVE_INFINITY): void {
    this.startNs = startNs;
    this.endNs = endNs;
    this.hasTraded = false;
    this.hasEnded = false;
    this.high.price = Number.NEGATIVE_INFINITY;
    this.low.price = Number.POSITIVE_INFINITY;
  }
}

interface PreviousDay {
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export interface SessionLevelsRule {
  readonly session: SessionKind;
  readonly initialBalanceMinutes: number;
}

export class SessionLevelsStudy implements Study {
  readonly #rule: SessionLevelsRule;
  /** The session itself, or its regular hours. */
  readonly #day = new RangeWindow('high', 'low');
  readonly #overnight = new RangeWindow('overnightHigh', 'overnightLow');
  readonly #balance = new RangeWindow('initialBalanceHigh', 'initialBalanceLow');
  /** In the order of the numbers of their levels. */
  readonly #windows = [this.#day, this.#overnight, this.#balance];
  /** The windows that are open at the current rows, and the next time at which one starts or ends. */
  #open: RangeWindow[] = [];
  #edgeNs = 0;
  #output: StudyOutput | null = null;
  #origin = 0 as UtcDay;
  readonly #previous = new InheritedValue<PreviousDay>(PREVIOUS_SESSIONS_MAX);
  #showsPrevious = false;
  /** The newest update of a level that moves. */
  readonly #moved: Mark = { day: 0 as UtcDay, rank: 0 as Rank, k: 0 };
  /** Last price of the day's window. */
  #close = 0;

  constructor(rule: SessionLevelsRule) {
    this.#rule = rule;
  }

  get dueNs(): number {
    let dueNs = Number.POSITIVE_INFINITY;
    for (const window of this.#windows) {
      if (window.forming && window.endNs < dueNs) dueNs = window.endNs;
    }
    return dueNs;
  }

  get warm(): boolean {
    return this.#previous.value !== null;
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#output = output;
    this.#origin = session.origin;
    this.#showsPrevious = false;
    this.#edgeNs = session.openNs;
    const { openNs, closeNs } = session;
    const regular = this.#rule.session === 'utc' ? undefined : session.regular;
    const day = this.#rule.session === 'rth' ? regular : { openNs, closeNs };
    const balanceNs = this.#rule.initialBalanceMinutes * MINUTE_NS;
    const balanceEndNs = day && Math.min(day.openNs + balanceNs, day.closeNs);
    this.#day.reset(day?.openNs, day?.closeNs);
    this.#balance.reset(day?.openNs, balanceEndNs);
    this.#overnight.reset(regular && openNs, regular?.openNs);
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    let row = from;
    let k = 0;
    while (row < to) {
      const ns = batch.ts[row]! + offsetNs;
      if (ns >= this.#edgeNs) {
        this.#endUntil(ns, (batch.firstRank + row - 1) as Rank, k);
        this.#open = this.#windows.filter(({ startNs, endNs }) => startNs <= ns && ns < endNs);
        this.#edgeNs = this.#edgeAfter(ns);
      }
      const next = firstRowAt(batch.ts, row, to, this.#edgeNs - offsetNs);
      k = this.#applyRows(batch, row, next, offsetNs);
      row = next;
    }
    return k;
  }

  fire(entry: Readonly<Mark>): number {
    return this.#endUntil(this.dueNs, entry.rank, entry.k);
  }

  closeSession(entry: Readonly<Mark>, isComplete: boolean): number {
    const k = this.#endUntil(Number.POSITIVE_INFINITY, entry.rank, entry.k);
    const { high, low, hasTraded } = this.#day;
    const day = { high: high.price, low: low.price, close: this.#close };
    this.#previous.closeSession(hasTraded ? day : null, isComplete);
    return k;
  }

  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void {
    // At most flushes no level has moved: skip the rest.
    if (since !== null && compareMarks(this.#moved, since) <= 0) return;
    const levels = this.#windows
      .filter((window) => window.forming)
      .flatMap(({ high, low }) => [high, low])
      .filter(({ mark }) => since === null || compareMarks(mark, since) > 0)
      .sort((a, b) => compareMarks(a.mark, b.mark));
    for (const level of levels) visit(versionOf(level, false), level.mark);
  }

  #edgeAfter(ns: number): number {
    let edgeNs = Number.POSITIVE_INFINITY;
    for (const { startNs, endNs } of this.#windows) {
      if (startNs > ns && startNs < edgeNs) edgeNs = startNs;
      if (endNs > ns && endNs < edgeNs) edgeNs = endNs;
    }
    return edgeNs;
  }

  /** Rows in which no window starts or ends. Returns the k of the last one. */
  #applyRows(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    const [any] = this.#open;
    if (any === undefined) return 0;
    if (any === this.#day) this.#close = batch.price[to - 1]!;
    const { price } = batch;
    const { high, low } = any;
    let k = 0;
    for (let row = from; row < to; row += 1) {
      const ticks = price[row]!;
      k = 0;
      if (ticks > high.price || ticks < low.price) k = this.#widen(batch, row, offsetNs);
    }
    return k;
  }

  #widen(batch: TradeBatch, row: number, offsetNs: number): number {
    const price = batch.price[row]!;
    const rank = (batch.firstRank + row) as Rank;
    const tradeId = `${batch.day}.${rank}`;
    const ts = epochNsText(this.#origin, batch.ts[row]! + offsetNs);
    let k = 0;
    const show = (kind: LevelKind, level: number) => {
      k += 1;
      const id = idOf(tradeId, kind);
      this.#output!.upsert(versionOf({ id, ts, kind, price: level }, true), rank, k);
    };
    const move = (level: MovingLevel, isFirst: boolean) => {
      k += 1;
      if (isFirst) {
        level.id = idOf(tradeId, level.kind);
        level.ts = ts;
      }
      level.price = price;
      level.mark.day = batch.day;
      level.mark.rank = rank;
      level.mark.k = k;
      Object.assign(this.#moved, level.mark);
    };
    const widen = (window: RangeWindow) => {
      if (!this.#open.includes(window)) return;
      const isFirst = !window.hasTraded;
      window.hasTraded = true;
      if (price > window.high.price) move(window.high, isFirst);
      if (price < window.low.price) move(window.low, isFirst);
    };
    if (this.#open.includes(this.#day) && !this.#day.hasTraded) show('open', price);
    widen(this.#day);
    const previous = this.#previous.value;
    if (!this.#showsPrevious && previous !== null) {
      show('previousHigh', previous.high);
      show('previousLow', previous.low);
      show('previousClose', previous.close);
    }
    this.#showsPrevious = true;
    widen(this.#overnight);
    widen(this.#balance);
    return k;
  }

  /** Ends the windows that end at `ns` or before, in order of their ends; entry `rank` has k updates. */
  #endUntil(ns: number, rank: Rank, kBefore: number): number {
    let k = kBefore;
    for (;;) {
      const dueNs = this.dueNs;
      const ending = this.#windows.filter((window) => window.forming && window.endNs === dueNs);
      if (ending.length === 0 || dueNs > ns) return k;
      for (const window of ending) {
        window.hasEnded = true;
        this.#output!.upsert(versionOf(window.high, true), rank, k + 1, dueNs);
        this.#output!.upsert(versionOf(window.low, true), rank, k + 2, dueNs);
        k += 2;
      }
    }
  }
}

function newLevel(kind: LevelKind): MovingLevel {
  return { kind, id: '', ts: '', price: 0, mark: { day: 0 as UtcDay, rank: 0 as Rank, k: 0 } };
}

function idOf(tradeId: string, kind: LevelKind): string {
  return `${tradeId}.${SESSION_LEVEL_KINDS.indexOf(kind) + 1}`;
}

function versionOf(
  { id, ts, kind, price }: Pick<MovingLevel, 'id' | 'ts' | 'kind' | 'price'>,
  final: boolean,
): ObjectVersion {
  return { id, final, ts, data: { kind, price } };
}
