/**
 * The example venue: it trades by a seed, numbers its trades without holes, and does to its clients what venues do. The
 * test decides by `faults` when. Time is a number of milliseconds that the test moves.
 */

import type { Random } from '../../../../simulation/disk/sim-disk.ts';
import type { FeedEvent, PageAnswer } from '../../src/markets/live/feed.ts';
import { EXAMPLE_PAGE_MAX, type ExampleMessage, type ExampleRow } from './example-feed.ts';

export interface VenueFaults {
  /** New connections fail, and present ones end. */
  isDown: boolean;
  /** Connections stay open and deliver nothing. */
  isSilent: boolean;
  /** Subscriptions are acknowledged, and heartbeats come, but no trades. */
  isMute: boolean;
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
  /** Pages have no more than the newest trades. 410 names the oldest one, 200 just begins later. */
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

interface Arriving {
  readonly atMs: number;
  readonly event: FeedEvent;
}

interface Client {
  symbols: readonly string[];
  arriving: Arriving[];
  isCut: boolean;
}

const LATENCY_MS = 15;
const HEARTBEAT_MS = 1_000;

export class SimVenue {
  readonly #random: Random;
  readonly #skewMs: number;
  readonly #firstId: number;
  /** So that a row of the tape tells its number. */
  readonly #hasNumbersAsSizes: boolean;
  readonly trades = new Map<string, ExampleRow[]>();
  readonly #clients = new Map<number, Client>();
  readonly #pages = new Map<number, { readonly atMs: number; readonly answer: PageAnswer }>();
  faults: VenueFaults = { ...NO_FAULTS };
  #heartbeatAt = 0;

  constructor(
    random: Random,
    symbols: readonly string[],
    { firstId = 1_000, skewMs = 0, hasNumbersAsSizes = false } = {},
  ) {
    this.#hasNumbersAsSizes = hasNumbersAsSizes;
    this.#random = random;
    this.#skewMs = skewMs;
    for (const symbol of symbols) this.trades.set(symbol, []);
    this.#firstId = firstId;
  }

  connect(connection: number, nowMs: number): void {
    const client: Client = { symbols: [], arriving: [], isCut: false };
    this.#clients.set(connection, client);
    const event: FeedEvent = this.faults.isDown
      ? { kind: 'closed', why: 'refused' }
      : { kind: 'opened' };
    this.#arrive(client, event, nowMs);
    client.isCut = this.faults.isDown;
  }

  send(connection: number, message: string, nowMs: number): void {
    const client = this.#clients.get(connection);
    const read = JSON.parse(message) as { t: string; s?: readonly string[] };
    if (client === undefined || read.t !== 'subscribe') return;
    client.symbols = read.s ?? [];
    this.#tell(client, { t: 'subscribed' }, nowMs);
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
      this.#arrive(client, { kind: 'message', message: '{"t":' }, nowMs);
    }
  }

  /** A present subscription of this contract ends without a word. */
  mute(symbol: string): void {
    for (const client of this.#clients.values()) {
      client.symbols = client.symbols.filter((other) => other !== symbol);
    }
  }

  offGrid(symbol: string, nowMs: number): void {
    const rows = this.trades.get(symbol)!;
    const row: ExampleRow = [this.#firstId + rows.length, nowMs + this.#skewMs, '100.1', '1', true];
    rows.push(row);
    for (const client of this.#clients.values()) {
      if (client.symbols.includes(symbol)) this.#deliver(client, symbol, [row], nowMs);
    }
  }

  /** All clients are gone, because their process has ended. */
  forgetClients(): void {
    this.#clients.clear();
    this.#pages.clear();
  }

  /** Trades what it trades until now, `count` of each symbol on the average. */
  trade(nowMs: number, stepMs: number, count: number): void {
    for (const [symbol, rows] of this.trades) {
      const now = Math.floor(this.#random() * 2 * count + this.#random());
      const added: ExampleRow[] = [];
      for (let index = 0; index < now; index += 1) {
        const intoMs = Math.floor((stepMs * index) / now);
        added.push(this.#row(rows.length + index, nowMs - stepMs + intoMs + this.#skewMs));
      }
      if (this.faults.isQuiet || added.length === 0) continue;
      rows.push(...added);
      for (const client of this.#clients.values()) {
        if (client.symbols.includes(symbol)) this.#deliver(client, symbol, added, nowMs);
      }
    }
    if (nowMs - this.#heartbeatAt < HEARTBEAT_MS) return;
    this.#heartbeatAt = nowMs;
    for (const client of this.#clients.values()) {
      this.#tell(client, { t: 'heartbeat', ms: nowMs + this.#skewMs }, nowMs);
    }
  }

  request(id: number, url: string, nowMs: number): void {
    const { searchParams } = new URL(url);
    const rows = this.trades.get(searchParams.get('symbol')!)!;
    this.#pages.set(id, {
      atMs: nowMs + 2 * LATENCY_MS,
      answer: this.#answer(rows, searchParams.get('from')),
    });
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

  #row(index: number, ms: number): ExampleRow {
    const price = `${100 + Math.floor(this.#random() * 40) / 4}`;
    const id = this.#firstId + index;
    const size = this.#hasNumbersAsSizes ? id : 1 + Math.floor(this.#random() * 9);
    return [id, ms, price, `${size}`, this.#random() < 0.5];
  }

  #answer(rows: readonly ExampleRow[], from: string | null): PageAnswer {
    const { pageStatus, remembered, saysForgotten, rowsMissing, pagesEmpty } = this.faults;
    const headers = pageStatus === 429 ? { 'retry-after': '2' } : {};
    if (pageStatus !== 200) return { status: pageStatus, headers, body: '' };
    const known = rows.slice(Math.max(0, rows.length - remembered));
    const oldest = known[0]?.[0];
    if (from !== null && saysForgotten && oldest !== undefined && Number(from) < oldest) {
      return { status: 410, headers, body: JSON.stringify({ rows: [], oldest }) };
    }
    const page = from === null ? known.slice(-10) : this.#from(known, Number(from));
    const isEmpty = this.#random() < pagesEmpty;
    const kept = isEmpty ? [] : page.filter(() => this.#random() >= rowsMissing);
    return { status: 200, headers, body: JSON.stringify({ rows: kept }) };
  }

  #from(rows: readonly ExampleRow[], from: number): readonly ExampleRow[] {
    const start = Math.max(0, from - (rows[0]?.[0] ?? from));
    return rows.slice(start, start + EXAMPLE_PAGE_MAX);
  }

  #deliver(client: Client, s: string, rows: readonly ExampleRow[], nowMs: number): void {
    const { dropped, repeated, swapped, isMute } = this.faults;
    if (isMute || this.#random() < dropped) return;
    this.#tell(client, { t: 'trades', s, rows }, nowMs);
    if (this.#random() < repeated) this.#tell(client, { t: 'trades', s, rows }, nowMs);
    const { arriving } = client;
    if (arriving.length < 2 || this.#random() >= swapped) return;
    const last = arriving.pop()!;
    const before = arriving.pop()!;
    arriving.push({ ...last, atMs: before.atMs }, { ...before, atMs: last.atMs });
  }

  #tell(client: Client, message: ExampleMessage, nowMs: number): void {
    if (this.faults.isSilent || client.isCut) return;
    this.#arrive(client, { kind: 'message', message: JSON.stringify(message) }, nowMs);
  }

  /** A connection keeps its order. */
  #arrive(client: Client, event: FeedEvent, nowMs: number): void {
    const atMs = nowMs + LATENCY_MS + this.faults.delayMs;
    client.arriving.push({ atMs: Math.max(atMs, client.arriving.at(-1)?.atMs ?? 0), event });
  }
}
