/**
 * A simulated venue: it trades by a seed, numbers its trades without holes, speaks a dialect, and does to its clients
 * what venues do. The test decides by `faults` when. Time is a number of milliseconds that the test moves.
 */

import type { Random } from '../../../../simulation/disk/sim-disk.ts';
import type {
  FeedEvent,
  FeedMessage,
  PageAnswer,
  PageRequest,
} from '../../src/markets/live/feed.ts';
import type { Dialect, DialectSession, SimTrade, SimTrades } from './dialect.ts';
import { exampleDialect } from './example-dialect.ts';

export interface VenueFaults {
  /** New connections fail, and present ones end. */
  isDown: boolean;
  /** Connections stay open and deliver nothing. */
  isSilent: boolean;
  /** Subscriptions are acknowledged, and heartbeats come, but no trades. */
  isMute: boolean;
  /** What it says while it accepts no connection: not before so long. Null: nothing. */
  connectAfterMs: number | null;
  /** Nothing is traded. */
  isQuiet: boolean;
  /** Messages arrive this much later. */
  delayMs: number;
  /** The share of messages with trades that are left out, repeated, or overtaken by the next one. */
  dropped: number;
  repeated: number;
  swapped: number;
  /** Status of every page; 200 for none. */
  pageStatus: number;
  /** Pages have no more than the newest trades. A venue may say so, or just begin later. */
  remembered: number;
  saysForgotten: boolean;
  /** The share of rows that pages leave out, of pages that are empty. */
  rowsMissing: number;
  pagesEmpty: number;
}

export const NO_FAULTS: VenueFaults = {
  isDown: false,
  isSilent: false,
  isMute: false,
  connectAfterMs: null,
  isQuiet: false,
  delayMs: 0,
  dropped: 0,
  repeated: 0,
  swapped: 0,
  pageStatus: 200,
  remembered: Number.POSITIVE_INFINITY,
  saysForgotten: false,
  rowsMissing: 0,
  pagesEmpty: 0,
};

export interface SimVenueOptions {
  readonly firstId?: number;
  readonly skewMs?: number;
  /** A size of as many lots as the trade's number, so that a row of the tape tells it. */
  readonly hasNumbersAsSizes?: boolean;
  readonly dialect?: Dialect;
  /** How many different prices and sizes there are, from how many ticks on. Default: few and small. */
  readonly market?: SimMarket;
}

export interface SimMarket {
  readonly priceTicks: number;
  readonly prices: number;
  readonly sizes: number;
}

interface Arriving {
  readonly atMs: number;
  readonly event: FeedEvent;
}

interface Client {
  readonly session: DialectSession;
  symbols: readonly string[];
  arriving: Arriving[];
  isCut: boolean;
}

const LATENCY_MS = 15;
const HEARTBEAT_MS = 1_000;
const SMALL_MARKET: SimMarket = { priceTicks: 400, prices: 40, sizes: 9 };
/** Of venues that number prints that are no order flow. */
const LEFT_OUT_SHARE = 0.15;

export class SimVenue {
  readonly #random: Random;
  readonly #skewMs: number;
  readonly #firstId: number;
  readonly #hasNumbersAsSizes: boolean;
  readonly #market: SimMarket;
  readonly #dialect: Dialect;
  readonly trades = new Map<string, SimTrade[]>();
  /** How many it no longer has. */
  readonly #forgotten = new Map<string, number>();
  readonly #clients = new Map<number, Client>();
  readonly #pages = new Map<number, { readonly atMs: number; readonly answer: PageAnswer }>();
  faults: VenueFaults = { ...NO_FAULTS };
  #heartbeatAt = 0;

  constructor(random: Random, symbols: readonly string[], options: SimVenueOptions = {}) {
    this.#hasNumbersAsSizes = options.hasNumbersAsSizes ?? false;
    this.#market = options.market ?? SMALL_MARKET;
    this.#dialect = options.dialect ?? exampleDialect;
    this.#random = random;
    this.#skewMs = options.skewMs ?? 0;
    for (const symbol of symbols) this.trades.set(symbol, []);
    this.#firstId = options.firstId ?? 1_000;
  }

  connect(connection: number, nowMs: number, address = 'ws://venue/'): void {
    const session = this.#dialect.session(address);
    const client: Client = { session, symbols: [], arriving: [], isCut: false };
    this.#clients.set(connection, client);
    const event: FeedEvent = this.faults.isDown
      ? { kind: 'closed', why: 'refused', retryAfterMs: this.faults.connectAfterMs }
      : { kind: 'opened' };
    this.#arrive(client, event, nowMs);
    client.isCut = this.faults.isDown;
    this.#tell(client, session.opened(nowMs + this.#skewMs), nowMs);
  }

  send(connection: number, message: FeedMessage, nowMs: number): void {
    const client = this.#clients.get(connection);
    if (client === undefined) return;
    const now = nowMs + this.#skewMs;
    const said = client.session.received(message, this.#remembered, now);
    const { replies, subscribed = [], fromMs, isEnd = false } = said;
    this.#tell(client, replies, nowMs);
    client.symbols = [...new Set([...client.symbols, ...subscribed])];
    if (isEnd) {
      this.#arrive(client, { kind: 'closed', why: 'ended by the venue' }, nowMs);
      client.isCut = true;
    }
    if (fromMs !== undefined) this.#repeat(client, subscribed, fromMs, nowMs);
  }

  close(connection: number): void {
    this.#clients.delete(connection);
  }

  cut(nowMs: number): void {
    for (const client of this.#clients.values()) {
      client.isCut = true;
      this.#arrive(client, { kind: 'closed', why: 'cut' }, nowMs);
    }
  }

  garble(nowMs: number): void {
    for (const client of this.#clients.values()) {
      this.#arrive(client, { kind: 'message', message: this.#dialect.garbage }, nowMs);
    }
  }

  /** A present subscription of this contract ends without a word. */
  mute(symbol: string): void {
    for (const client of this.#clients.values()) {
      client.symbols = client.symbols.filter((other) => other !== symbol);
    }
  }

  offGrid(symbol: string, nowMs: number): void {
    this.print(symbol, nowMs, { price: '100.1', size: '1' });
  }

  /** A trade out of the ordinary. */
  print(
    symbol: string,
    nowMs: number,
    terms: Pick<SimTrade, 'price' | 'size' | 'leftOut'> & { readonly aheadMs?: number },
  ): void {
    const trades = this.trades.get(symbol)!;
    const id = this.#firstId + this.#made(symbol);
    const { aheadMs = 0, ...rest } = terms;
    const trade = { id, ms: nowMs + this.#skewMs + aheadMs, ...rest, isBuy: true };
    trades.push(trade);
    for (const client of this.#clients.values()) {
      if (client.symbols.includes(symbol)) this.#deliver(client, symbol, [trade], nowMs);
    }
  }

  /** The venue keeps its newest trades alone. A run cannot be judged then. */
  forget(kept: number): void {
    for (const [symbol, trades] of this.trades) {
      const gone = trades.splice(0, Math.max(0, trades.length - kept)).length;
      this.#forgotten.set(symbol, (this.#forgotten.get(symbol) ?? 0) + gone);
    }
  }

  /** All clients are gone, because their process has ended. */
  forgetClients(): void {
    this.#clients.clear();
    this.#pages.clear();
  }

  /** Trades what it trades until now, `count` of each symbol on the average. */
  trade(nowMs: number, stepMs: number, count: number): void {
    for (const [symbol, trades] of this.trades) {
      const now = Math.floor(this.#random() * 2 * count + this.#random());
      const added: SimTrade[] = [];
      for (let index = 0; index < now; index += 1) {
        const intoMs = Math.floor((stepMs * index) / now);
        const ms = nowMs - stepMs + intoMs + this.#skewMs;
        added.push(this.#trade(symbol, this.#made(symbol) + index, ms));
      }
      if (this.faults.isQuiet || added.length === 0) continue;
      trades.push(...added);
      for (const client of this.#clients.values()) {
        if (client.symbols.includes(symbol)) this.#deliver(client, symbol, added, nowMs);
      }
    }
    if (nowMs - this.#heartbeatAt < HEARTBEAT_MS) return;
    this.#heartbeatAt = nowMs;
    for (const client of this.#clients.values()) {
      this.#tell(client, client.session.heartbeat(nowMs + this.#skewMs), nowMs);
    }
  }

  request(id: number, request: PageRequest, nowMs: number): void {
    this.#pages.set(id, { atMs: nowMs + 2 * LATENCY_MS, answer: this.#answer(request, nowMs) });
  }

  /** What arrives until now, in order. */
  arrived(nowMs: number): readonly (readonly [connection: number, event: FeedEvent])[] {
    const found: (readonly [number, FeedEvent])[] = [];
    for (const [connection, client] of this.#clients) {
      while (client.arriving.length > 0 && client.arriving[0]!.atMs <= nowMs) {
        const { event } = client.arriving.shift()!;
        found.push([connection, event]);
        if (event.kind === 'closed') this.#clients.delete(connection);
      }
    }
    return found;
  }

  answered(nowMs: number): readonly (readonly [id: number, answer: PageAnswer])[] {
    const due = [...this.#pages].filter(([, { atMs }]) => atMs <= nowMs);
    for (const [id] of due) this.#pages.delete(id);
    return due.map(([id, { answer }]) => [id, answer]);
  }

  readonly #remembered: SimTrades = (symbol) => {
    const trades = this.trades.get(symbol) ?? [];
    const { remembered } = this.faults;
    return remembered >= trades.length ? trades : trades.slice(trades.length - remembered);
  };

  #made(symbol: string): number {
    return this.trades.get(symbol)!.length + (this.#forgotten.get(symbol) ?? 0);
  }

  #trade(symbol: string, index: number, ms: number): SimTrade {
    const { tick, lot } = this.#dialect.contracts.find((it) => it.venueSymbol === symbol) ?? {
      tick: '0.25',
      lot: '1',
    };
    const { priceTicks, prices, sizes } = this.#market;
    const price = decimalOf(priceTicks + Math.floor(this.#random() * prices), tick);
    const id = this.#firstId + index;
    const lots = this.#hasNumbersAsSizes ? id : 1 + Math.floor(this.#random() * sizes);
    const isBuy = this.#random() < 0.5;
    return { id, ms, price, size: decimalOf(lots, lot), isBuy, ...this.#leftOut() };
  }

  #leftOut(): Pick<SimTrade, 'leftOut'> {
    const { leftOut: kinds = [] } = this.#dialect;
    if (kinds.length === 0 || this.#random() >= LEFT_OUT_SHARE) return {};
    return { leftOut: kinds[Math.floor(this.#random() * kinds.length)]! };
  }

  #answer(request: PageRequest, nowMs: number): PageAnswer {
    const { pageStatus, saysForgotten, rowsMissing, pagesEmpty } = this.faults;
    const headers = pageStatus === 429 ? { 'retry-after': '2' } : {};
    if (pageStatus !== 200) return { status: pageStatus, headers, body: '' };
    const page = this.#dialect.page(request, this.#remembered, nowMs + this.#skewMs);
    if (page === null) return { status: 404, headers, body: 'no such address' };
    if (saysForgotten && page.forgotten !== null) return page.forgotten;
    const isEmpty = this.#random() < pagesEmpty;
    return page.answer(isEmpty ? [] : page.rows.filter(() => this.#random() >= rowsMissing));
  }

  #repeat(client: Client, symbols: readonly string[], fromMs: number, nowMs: number): void {
    for (const symbol of symbols) {
      const rows = this.#remembered(symbol).filter(({ ms }) => ms >= fromMs);
      if (rows.length > 0) {
        this.#tell(client, client.session.trades(symbol, rows, nowMs + this.#skewMs), nowMs);
      }
    }
  }

  #deliver(client: Client, symbol: string, rows: readonly SimTrade[], nowMs: number): void {
    const { dropped, repeated, swapped, isMute } = this.faults;
    if (isMute || this.#random() < dropped) return;
    const messages = client.session.trades(symbol, rows, nowMs + this.#skewMs);
    this.#tell(client, messages, nowMs);
    if (this.#random() < repeated) this.#tell(client, messages, nowMs);
    const { arriving } = client;
    if (arriving.length < 2 || this.#random() >= swapped) return;
    const last = arriving.pop()!;
    const before = arriving.pop()!;
    arriving.push({ ...last, atMs: before.atMs }, { ...before, atMs: last.atMs });
  }

  #tell(client: Client, messages: readonly FeedMessage[], nowMs: number): void {
    if (this.faults.isSilent || client.isCut) return;
    for (const message of messages) this.#arrive(client, { kind: 'message', message }, nowMs);
  }

  /** A connection keeps its order. */
  #arrive(client: Client, event: FeedEvent, nowMs: number): void {
    const atMs = nowMs + LATENCY_MS + this.faults.delayMs;
    client.arriving.push({ atMs: Math.max(atMs, client.arriving.at(-1)?.atMs ?? 0), event });
  }
}

/** So many units of a decimal: 401 of 0.25 is 100.25. */
function decimalOf(units: number, unit: string): string {
  const decimals = unit.split('.')[1]?.length ?? 0;
  const digits = `${units * Number(unit.replace('.', ''))}`.padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
}
