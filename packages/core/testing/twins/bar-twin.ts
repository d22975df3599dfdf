/** The naive twin of all bars: a bar is a list of the parts of trades it contains. */

import {
  TwinLog,
  type TwinSession,
  type TwinTape,
  type TwinTrade,
  type TwinUpdate,
  tradesIn,
} from './twin-tape.ts';

export interface Part {
  readonly ns: bigint;
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

export interface TwinBar {
  readonly id: string;
  readonly ts: bigint;
  readonly parts: Part[];
  /** For time bars: when the clock ends it. */
  readonly nominalEnd: bigint | null;
  openEdge: number | null;
  closeEdge: number | null;
}

export interface BarParams {
  readonly bar: string;
  readonly size: number;
}

/** `earlier`: the parts in the session's previous bars. */
type DataOf = (bar: TwinBar, end: bigint, earlier: readonly Part[]) => unknown;

export function barTwin(
  tape: TwinTape,
  params: BarParams,
  dataOf: DataOf = barData,
  barsPerTradeMax = 1000,
): TwinUpdate[] {
  const log = new TwinLog(tape);
  for (const session of tape.sessions) {
    new SessionTwin(log, session, params, dataOf, barsPerTradeMax).run(tape);
  }
  return log.updates;
}

class SessionTwin {
  readonly log: TwinLog;
  readonly session: TwinSession;
  readonly params: BarParams;
  readonly dataOf: DataOf;
  readonly barsPerTradeMax: number;
  bar: TwinBar | null = null;
  /** All bars of the session, in the order they began. */
  bars: TwinBar[] = [];
  firstPrice: number | null = null;
  bricks: { open: number; close: number }[] = [];

  constructor(log: TwinLog, session: TwinSession, params: BarParams, dataOf: DataOf, max: number) {
    this.log = log;
    this.session = session;
    this.params = params;
    this.dataOf = dataOf;
    this.barsPerTradeMax = max;
  }

  run(tape: TwinTape): void {
    for (const trade of tradesIn(tape, this.session)) {
      this.endByClock(trade.ns);
      this[this.params.bar as 'time'](trade);
    }
    this.endByClock(tape.until);
    if (this.bar !== null && this.session.close <= tape.until) {
      this.log.byTime(this.session.close, this.object(this.bar, true, this.session.close));
    }
  }

  endByClock(now: bigint): void {
    const end = this.bar?.nominalEnd ?? null;
    if (end === null || end > now) return;
    this.log.byTime(end, this.object(this.bar!, true, end));
    this.bar = null;
  }

  time(trade: TwinTrade): void {
    const size = BigInt(this.params.size) * 1_000_000_000n;
    const { open, close } = this.session;
    const nominal = open + ((trade.ns - open) / size) * size;
    const end = nominal + size < close ? nominal + size : close;
    this.bar ??= newBar(trade, 0, nominal, end);
    this.bar.parts.push(trade);
    this.update(trade, false);
  }

  tick(trade: TwinTrade): void {
    this.bar ??= newBar(trade, 0);
    this.bar.parts.push(trade);
    this.update(trade, this.bar.parts.length === this.params.size);
  }

  volume(trade: TwinTrade): void {
    let rest = trade.size;
    let started = 0;
    while (rest > 0) {
      if (this.bar === null) {
        started += 1;
        this.bar = newBar(trade, started);
      }
      const room = this.params.size - sum(this.bar.parts);
      const part = started === this.barsPerTradeMax ? rest : Math.min(rest, room);
      this.bar.parts.push({ ...trade, size: part });
      rest -= part;
      this.update(trade, part >= room);
    }
  }

  range(trade: TwinTrade): void {
    if (this.bar !== null) {
      const prices = [...this.bar.parts.map((part) => part.price), trade.price];
      if (Math.max(...prices) - Math.min(...prices) > this.params.size) this.update(trade, true);
    }
    this.bar ??= newBar(trade, 0);
    this.bar.parts.push(trade);
    this.update(trade, false);
  }

  delta(trade: TwinTrade): void {
    this.bar ??= newBar(trade, 0);
    this.bar.parts.push(trade);
    const delta = this.bar.parts.reduce((all, part) => all + part.size * part.side, 0);
    this.update(trade, Math.abs(delta) >= this.params.size);
  }

  renko(trade: TwinTrade): void {
    this.firstPrice ??= trade.price;
    const done = this.completedBy(trade.price);
    if (done.length === 0) {
      this.bar ??= this.newBrick(trade, 1);
      this.bar.parts.push(trade);
      this.update(trade, false);
      return;
    }
    let started = 0;
    for (const brick of this.capped(done)) {
      if (this.bar === null) {
        started += 1;
        this.bar = this.newBrick(trade, started);
      }
      this.bar.openEdge = brick.open;
      this.bar.closeEdge = brick.close;
      if (brick.close === done.at(-1)!.close) this.bar.parts.push(trade);
      this.log.byTrade(trade, this.object(this.bar, true, trade.ns));
      this.bar = null;
    }
    this.bricks.push(...done);
  }

  /** The completed bricks one after the other, as if price had moved tick by tick. */
  completedBy(price: number): { open: number; close: number }[] {
    const { size } = this.params;
    const done: { open: number; close: number }[] = [];
    for (;;) {
      const last = done.at(-1) ?? this.bricks.at(-1);
      const first = this.firstPrice!;
      const up = last === undefined ? first : Math.max(last.open, last.close);
      const down = last === undefined ? first : Math.min(last.open, last.close);
      if (price >= up + size) done.push({ open: up, close: up + size });
      else if (price <= down - size) done.push({ open: down, close: down - size });
      else return done;
    }
  }

  /** The bricks within the limit; the last one extends to the end of all. */
  capped(done: { open: number; close: number }[]): { open: number; close: number }[] {
    const most = this.barsPerTradeMax + (this.bar === null ? 0 : 1);
    if (done.length <= most) return done;
    return [...done.slice(0, most - 1), { open: done[most - 1]!.open, close: done.at(-1)!.close }];
  }

  newBrick(trade: TwinTrade, n: number): TwinBar {
    const bar = newBar(trade, n);
    bar.openEdge = this.bricks.at(-1)?.close ?? this.firstPrice;
    return bar;
  }

  update(trade: TwinTrade, final: boolean): void {
    const end = final ? trade.ns : this.bar!.parts.at(-1)!.ns;
    this.log.byTrade(trade, this.object(this.bar!, final, end));
    if (final) this.bar = null;
  }

  object(bar: TwinBar, final: boolean, end: bigint) {
    if (!this.bars.includes(bar)) this.bars.push(bar);
    const earlier = this.bars.slice(0, this.bars.indexOf(bar)).flatMap(({ parts }) => parts);
    return { id: bar.id, final, ts: String(bar.ts), data: this.dataOf(bar, end, earlier) };
  }
}

function newBar(trade: TwinTrade, n: number, ts = trade.ns, end: bigint | null = null): TwinBar {
  const id = n === 0 ? `${trade.day}.${trade.rank}` : `${trade.day}.${trade.rank}.${n}`;
  return { id, ts, parts: [], nominalEnd: end, openEdge: null, closeEdge: null };
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((all, part) => all + part.size, 0);
}

export function barData(bar: TwinBar, end: bigint) {
  const { parts } = bar;
  const open = bar.openEdge ?? parts[0]!.price;
  const close = bar.closeEdge ?? parts.at(-1)!.price;
  const prices = [open, close, ...parts.map((part) => part.price)];
  const of = (side: number) => sum(parts.filter((part) => part.side === side));
  const running = [0];
  for (const part of parts) running.push(running.at(-1)! + part.size * part.side);
  return {
    open,
    high: Math.max(...prices),
    low: Math.min(...prices),
    close,
    volume: sum(parts),
    bid: of(-1),
    ask: of(1),
    unknown: of(0),
    trades: parts.length,
    delta: of(1) - of(-1),
    deltaMin: Math.min(...running),
    deltaMax: Math.max(...running),
    end: String(end),
  };
}
