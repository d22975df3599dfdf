/**
 * Customers that keep every rule and measure their latencies. Each has its own account, address and
 * stream with two subscriptions. It reconnects from time to time, reads new and cached history
 * pages, and requests its keys and usage. Every error it gets is recorded; there must be none.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { forEachOf } from '../../bench/shared/stream-sockets.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { HttpClient, verdictOf } from './hostile-http.ts';
import { type Heard, HeardSocket } from './hostile-socket.ts';
import { nameOf, Tally } from './hostile-wire.ts';

export const MEASURES = {
  warmSnapshot: 'snapshot, warm topic',
  coldSnapshot: 'snapshot, cold topic',
  coldPage: 'page, cold',
  keptPage: 'page, kept',
  keyRequest: 'key request',
  streamDelay: 'stream delay',
} as const;
export type Measure = keyof typeof MEASURES;

/** Actions per second of 200 customers. */
const PER_SECOND = { reconnects: 8, coldPages: 1, keptPages: 4, keyRequests: 8 };
const USUAL_CUSTOMERS = 200;
/** Fewer customers do at least this share, so that there are enough samples. */
const SHARE_MIN = 0.25;
/** One reconnect in so many uses a topic without subscribers. */
const COLD_OF = 6;
/** One customer in so many has the plan `live`, and so no history. */
const LIVE_ONLY_OF = 5;
const PING_MS = 10_000;
const SNAPSHOT_WITHIN_MS = 60_000;
const OPENING_AT_ONCE = 20;
const FIRST_COLD_SIZE = 2_000;

const TICK = { bar: 'tick', size: 1, depth: 5 };
/** Every trade is an object with its own time, from which the delay is measured. */
const MEASURED = ['bars', 'footprint'];
const WARM = [
  { instrument: 'BTC.c.0', indicator: 'bars' },
  { instrument: 'BTC.c.0', indicator: 'footprint' },
  { instrument: 'BTC.c.0', indicator: 'delta' },
  { instrument: 'ES.c.0', indicator: 'bars' },
  { instrument: 'ES.c.0', indicator: 'large-trades' },
];
const KEPT_SIZES = [500, 600, 700, 800];

export interface CustomersOptions {
  readonly port: number;
  readonly keys: CustomerKeys;
  readonly seed: number;
  /** One hour of a sealed day. */
  readonly from: string;
  readonly to: string;
}

/** The first customers have history; the others only the stream. */
export interface CustomerKeys {
  readonly withHistory: readonly string[];
  readonly liveOnly: readonly string[];
}

export function liveOnlyOf(customers: number): number {
  return Math.floor(customers / LIVE_ONLY_OF);
}

export type Samples = Readonly<Record<Measure, readonly number[]>>;

class Notebook {
  readonly samples: Readonly<Record<Measure, number[]>> = {
    warmSnapshot: [],
    coldSnapshot: [],
    coldPage: [],
    keptPage: [],
    keyRequest: [],
    streamDelay: [],
  };
}

class Market {
  readonly options: CustomersOptions;
  readonly refused = new Tally();
  readonly ending = new AbortController();
  notebook = new Notebook();
  #size = FIRST_COLD_SIZE;

  constructor(options: CustomersOptions) {
    this.options = options;
  }

  /** A bar size that was never requested. */
  nextSize(): number {
    this.#size += 1;
    return this.#size;
  }

  /** The path of one hour of bars of `size` trades. */
  page(size: number): string {
    const { from, to } = this.options;
    const params = JSON.stringify({ bar: 'tick', size });
    const fields = { instrument: 'BTC.c.0', indicator: 'bars', params, from, to };
    return `/v1/history?${new URLSearchParams(fields)}`;
  }
}

export class Customers {
  readonly #market: Market;
  readonly #customers: readonly Customer[];
  #living: Promise<unknown> = Promise.resolve();

  constructor(options: CustomersOptions) {
    this.#market = new Market(options);
    const { withHistory, liveOnly } = options.keys;
    const count = withHistory.length + liveOnly.length;
    this.#customers = [...withHistory, ...liveOnly].map(
      (key, index) =>
        new Customer(this.#market, { key, index, count, hasHistory: index < withHistory.length }),
    );
  }

  /** Errors by action and reason, counted. */
  get refused(): Readonly<Record<string, number>> {
    return this.#market.refused.counts;
  }

  /** Resolves when all have their snapshots and the common pages are cached. */
  async come(): Promise<void> {
    await forEachOf(
      this.#customers.length,
      async (index) => await this.#customers[index]!.come(),
      OPENING_AT_ONCE,
    );
    for (const size of KEPT_SIZES) await this.#customers[0]!.read(size);
    this.#market.notebook = new Notebook();
    this.#living = Promise.all(this.#customers.map((customer) => customer.live()));
  }

  /** The samples since the last call. */
  samples(): Samples {
    const { samples } = this.#market.notebook;
    this.#market.notebook = new Notebook();
    return samples;
  }

  async leave(): Promise<void> {
    this.#market.ending.abort();
    await this.#living;
    for (const customer of this.#customers) customer.leave();
  }
}

interface CustomerOptions {
  readonly key: string;
  readonly index: number;
  readonly count: number;
  readonly hasHistory: boolean;
}

class Customer {
  readonly #market: Market;
  readonly #options: CustomerOptions;
  readonly #http: HttpClient;
  readonly #random: () => number;
  readonly #localAddress: string;
  readonly #pinging: NodeJS.Timeout;
  #socket: HeardSocket | null = null;
  /** Resolves to whether the fresh subscription got its snapshot. */
  #snapshot = Promise.withResolvers<boolean>();

  constructor(market: Market, options: CustomerOptions) {
    const { key, index } = options;
    this.#market = market;
    this.#options = options;
    this.#localAddress = `127.1.${1 + (index >> 7)}.${1 + (index & 127)}`;
    const { port, seed } = market.options;
    this.#http = new HttpClient({ port, key, localAddress: this.#localAddress });
    this.#random = seededRandom(seed + index);
    this.#pinging = setInterval(() => this.#socket?.ping(), PING_MS);
  }

  async come(): Promise<void> {
    await this.#connect('warmSnapshot', WARM[this.#options.index % WARM.length]!);
  }

  async live(): Promise<void> {
    const { hasHistory, count } = this.#options;
    const share = Math.max(SHARE_MIN, count / USUAL_CUSTOMERS);
    const meanMs = (perSecond: number) => (1_000 * count) / (perSecond * share);
    const readers = count - liveOnlyOf(count);
    const pageMs = (perSecond: number) => (meanMs(perSecond) * readers) / count;
    await Promise.all([
      this.#repeat(meanMs(PER_SECOND.reconnects), () => this.#comeBack()),
      this.#repeat(meanMs(PER_SECOND.keyRequests), () => this.#lookAtKeys()),
      ...(hasHistory
        ? [
            this.#repeat(pageMs(PER_SECOND.coldPages), () =>
              this.read(this.#market.nextSize(), 'coldPage'),
            ),
            this.#repeat(pageMs(PER_SECOND.keptPages), () =>
              this.read(this.#oneOf(KEPT_SIZES), 'keptPage'),
            ),
          ]
        : []),
    ]);
  }

  leave(): void {
    clearInterval(this.#pinging);
    this.#socket?.leave();
    this.#http[Symbol.dispose]();
  }

  async read(size: number, measure?: Measure): Promise<void> {
    await this.#ask(this.#market.page(size), measure);
  }

  async #lookAtKeys(): Promise<void> {
    await this.#ask(this.#random() < 0.5 ? '/v1/keys' : '/v1/usage', 'keyRequest');
  }

  async #ask(path: string, measure?: Measure): Promise<void> {
    const { notebook } = this.#market;
    const what = measure === undefined ? path : MEASURES[measure];
    try {
      const answer = await this.#http.ask('GET', path);
      if (answer.status !== 200) this.#refuse(`${what}: ${verdictOf(answer)}`);
      else if (measure !== undefined) notebook.samples[measure].push(answer.ms);
    } catch (error) {
      this.#refuse(`${what}: ${nameOf(error)}`);
    }
  }

  async #comeBack(): Promise<void> {
    const isCold = this.#random() < 1 / COLD_OF;
    this.#socket?.leave();
    const warm = this.#oneOf(WARM);
    const params = { bar: 'tick', size: this.#market.nextSize() };
    if (isCold) await this.#connect('coldSnapshot', { ...warm, indicator: 'footprint', params });
    else await this.#connect('warmSnapshot', warm);
  }

  /** Resolves when the fresh subscription has its snapshot or fails. */
  async #connect(measure: Measure, fresh: object): Promise<void> {
    const { notebook, options } = this.#market;
    const startMs = performance.now();
    const snapshot = Promise.withResolvers<boolean>();
    this.#snapshot = snapshot;
    try {
      const place = {
        port: options.port,
        key: this.#options.key,
        localAddress: this.#localAddress,
      };
      const socket = await HeardSocket.open(place, (message) => this.#hear(message));
      this.#socket = socket;
      void socket.gone.then(() => this.#lost(socket));
      const indicator = MEASURED[this.#options.index % MEASURED.length];
      const measured = { instrument: 'BTC.c.0', indicator, params: TICK };
      socket.send({ t: 'subscribe', sub: 'measured', ...measured });
      socket.send({ t: 'subscribe', sub: 'fresh', ...fresh });
      const ended = socket.gone.then(() => false);
      const late = pause(SNAPSHOT_WITHIN_MS, 'late' as const, { ref: false });
      const end = await Promise.race([snapshot.promise, ended, late]);
      if (end === 'late') this.#refuse(`${MEASURES[measure]}: none in a minute`);
      if (end !== false) notebook.samples[measure].push(performance.now() - startMs);
    } catch (error) {
      this.#refuse(`${MEASURES[measure]}: ${nameOf(error)}`);
    }
  }

  #hear(message: Heard): void {
    if (message.t === 'error') {
      this.#refuse(`stream: error ${message.code} of ${message.sub}`);
      if (message.sub === 'fresh') this.#snapshot.resolve(false);
    } else if (message.t === 'snapshot') {
      if (message.sub === 'fresh') this.#snapshot.resolve(true);
    } else if (message.t === 'upsert' && message.sub === 'measured') {
      const nowMs = performance.timeOrigin + performance.now();
      this.#market.notebook.samples.streamDelay.push(nowMs - Number(message.ts) / 1e6);
    }
  }

  #lost(socket: HeardSocket): void {
    if (socket.isLeft || this.#market.ending.signal.aborted) return;
    this.#refuse(`stream: closed ${socket.closeCode}`);
    if (this.#socket === socket) this.#socket = null;
  }

  #refuse(what: string): void {
    if (!this.#market.ending.signal.aborted) this.#market.refused.add(what);
  }

  async #repeat(meanMs: number, act: () => Promise<void>): Promise<void> {
    let isOver = await this.#pause(this.#random() * meanMs);
    while (!isOver) {
      await act();
      isOver = await this.#pause((0.5 + this.#random()) * meanMs);
    }
  }

  /** Resolves to whether the run is over. */
  #pause(ms: number): Promise<boolean> {
    const { signal } = this.#market.ending;
    return pause(ms, undefined, { signal }).then(
      () => false,
      () => true,
    );
  }

  #oneOf<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)]!;
  }
}
