/** Listens to a venue for a while, as a feed would, and keeps what it says with the time of its arrival. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/waiting/sleep.ts';
import { FeedConnection } from '../connection/feed-connection.ts';
import type { FeedContract, FeedEvent, Reading, Venue } from '../feed.ts';
import type { FeedTrade, Line } from '../lines/line.ts';
import { LineBudget } from '../lines/line-budget.ts';
import type { FeedSocket, Network } from '../network.ts';

const STEP_MS = 50;
/** Of all contracts together. */
const TRADES_MAX = 200_000;

export interface SeenTrade {
  readonly trade: FeedTrade;
  readonly at: EpochNs;
}

export interface Observation {
  readonly from: EpochNs;
  readonly to: EpochNs;
  /** Milliseconds from the attempt to connect; null: it did not happen. */
  readonly openedMs: number | null;
  readonly readyMs: number | null;
  readonly firstTradeMs: number | null;
  /** In the order of their arrival. */
  readonly trades: ReadonlyMap<string, readonly SeenTrade[]>;
  readonly leftOut: ReadonlyMap<string, number>;
  readonly refused: ReadonlyMap<string, string>;
  /** Our clock less the time that a heartbeat named. */
  readonly heartbeatLagsNs: readonly bigint[];
  readonly messages: number;
  /** Why the connection ended before its time; null: it did not. */
  readonly ended: string | null;
  readonly lines: ReadonlyMap<string, Line>;
}

export interface ObservationOptions {
  readonly venue: Venue;
  readonly contracts: readonly FeedContract[];
  readonly network: Network;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly forMs: number;
  readonly signal: AbortSignal;
  readonly onStep: (passedMs: number, trades: number) => void;
}

export class Observer {
  readonly #options: ObservationOptions;
  readonly #connection: FeedConnection;
  readonly #lines: ReadonlyMap<string, Line>;
  readonly #from: EpochNs;
  readonly #trades = new Map<string, SeenTrade[]>();
  readonly #leftOut = new Map<string, number>();
  readonly #refused = new Map<string, string>();
  readonly #lags: bigint[] = [];
  #openedMs: number | null = null;
  #readyMs: number | null = null;
  #firstTradeMs: number | null = null;
  #messages = 0;
  #tradesTotal = 0;
  #ended: string | null = null;
  #socket: FeedSocket | null = null;

  constructor(options: ObservationOptions) {
    const { venue, contracts, clock } = options;
    this.#options = options;
    this.#from = clock.now();
    const budget = new LineBudget();
    this.#lines = new Map(
      contracts.map((contract) => [
        contract.symbol,
        venue.line({ contract, budget, lastId: -1, position: null }),
      ]),
    );
    for (const { symbol } of contracts) this.#trades.set(symbol, []);
    this.#connection = new FeedConnection({
      ...{ id: 1, venue, contracts, lines: this.#lines, now: this.#from },
      venueNow: (now) => now,
      news: {
        ready: () => {
          this.#readyMs ??= this.#passedMs;
        },
        readings: (readings) => this.#read(readings),
        ended: (why) => {
          this.#ended ??= why;
        },
      },
    });
  }

  /** So far. */
  get seen(): Observation {
    return {
      ...{ from: this.#from, to: this.#options.clock.now() },
      ...{ openedMs: this.#openedMs, readyMs: this.#readyMs, firstTradeMs: this.#firstTradeMs },
      ...{ trades: this.#trades, leftOut: this.#leftOut, refused: this.#refused },
      ...{ heartbeatLagsNs: this.#lags, messages: this.#messages, ended: this.#ended },
      lines: this.#lines,
    };
  }

  /** Ends early when the connection ends. */
  async run(): Promise<void> {
    const { clock, forMs, signal, onStep } = this.#options;
    this.#perform();
    try {
      while (!signal.aborted && this.#ended === null && this.#passedMs < forMs) {
        await sleep(clock, STEP_MS, signal);
        this.#step({ kind: 'timer' });
        onStep(this.#passedMs, this.#tradesTotal);
      }
    } finally {
      const ended = this.#ended;
      this.#connection.close('the observation is over');
      this.#ended = ended;
      this.#perform();
    }
  }

  get #passedMs(): number {
    return Number((this.#options.clock.now() - this.#from) / MS_NS_BIG);
  }

  #step(event: FeedEvent): void {
    if (this.#ended !== null) return;
    if (event.kind === 'opened') this.#openedMs ??= this.#passedMs;
    if (event.kind === 'message') this.#messages += 1;
    this.#connection.step(event, this.#options.clock.now());
    this.#perform();
  }

  #perform(): void {
    for (const action of this.#connection.takeActions()) {
      if (action.kind === 'send') this.#socket?.send(action.message);
      else if (action.kind === 'close') this.#socket?.close();
      else if (action.kind === 'connect') this.#connect(action.address);
    }
  }

  #connect(address: string): void {
    try {
      this.#socket = this.#options.network.connect(address, {
        opened: () => this.#step({ kind: 'opened' }),
        message: (message) => this.#step({ kind: 'message', message }),
        closed: (why) => this.#step({ kind: 'closed', why }),
      });
    } catch (error) {
      this.#ended = error instanceof Error ? error.message : String(error);
    }
  }

  #read(readings: readonly Reading[]): void {
    const at = this.#options.clock.now();
    for (const reading of readings) {
      if (reading.kind === 'trades') this.#take(reading.symbol, reading.trades, at);
      else if (reading.kind === 'leftOut') {
        this.#leftOut.set(reading.what, (this.#leftOut.get(reading.what) ?? 0) + 1);
      } else if (reading.kind === 'refused') this.#refused.set(reading.symbol, reading.why);
      else if (reading.kind === 'alive' && reading.venueTime !== null) {
        this.#lags.push(at - reading.venueTime);
      }
    }
  }

  #take(symbol: string, trades: readonly FeedTrade[], at: EpochNs): void {
    this.#firstTradeMs ??= this.#passedMs;
    const seen = this.#trades.get(symbol);
    for (const trade of trades) {
      if (this.#tradesTotal >= TRADES_MAX) return;
      this.#tradesTotal += 1;
      seen?.push({ trade, at });
    }
  }
}
