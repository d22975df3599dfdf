/**
 * The memory of a feed over a day of its own time with a cut each hour, on a tape that keeps nothing but places, numbers
 * and gaps. The venue forgets its old trades too, so that what grows is the feed's.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { NotedOffer } from '@tapeloom/server/markets/divided-offer';
import { VenueBudget } from '@tapeloom/server/markets/live/connection/venue-budget';
import type { FeedAction } from '@tapeloom/server/markets/live/feed';
import { LiveFeed } from '@tapeloom/server/markets/live/live-feed';
import type { TapeGap } from '@tapeloom/server/tape/tape-gap';
import { BinanceDialect } from '../../packages/server/testing/live/dialects/binance-dialect.ts';
import { contractsOf, START_MS } from '../../packages/server/testing/live/feed-run.ts';
import { SimVenue } from '../../packages/server/testing/live/sim-venue.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { collectGarbage } from '../shared/measure.ts';
import { type RunFeedsPart, verdict } from './feeds-part.ts';

const HOURS = 24;
const HOUR_MS = 3_600_000;
const STEP_MS = 50;
/** Of each contract: six a second. */
const TRADES_PER_STEP = 0.3;
/** Where the venue forgets; a hole of one cut is shorter. */
const REMEMBERED = 20_000;
const FORGETS_EVERY_MS = 600_000;
/** How long a cut lasts. */
const OUTAGE_MS = 20_000;
const LOOK_HOURS = [2, 12, 24];
/** Between the first look and the last. */
const GROWTH_MAX_BYTES = 512 * 1_024;

export const memory: RunFeedsPart = async () => {
  const day = new DiscardedDay();
  const heaps: number[] = [];
  for (let hour = 1; hour <= HOURS; hour += 1) {
    day.run(HOUR_MS - OUTAGE_MS);
    day.cut();
    day.run(OUTAGE_MS);
    day.heal();
    if (LOOK_HOURS.includes(hour)) {
      day.run(HOUR_MS / 60);
      heaps.push(day.heapBytes());
    }
  }
  const [first, , last] = heaps as [number, number, number];
  const mib = (bytes: number) => `${(bytes / 1_048_576).toFixed(2)} MiB`;
  const { trades, reconnects } = day;
  return {
    rows: heaps.map((bytes, index) => [
      `the heap at hour ${LOOK_HOURS[index]}, ${HOURS} cuts in a day`,
      mib(bytes),
      index === 0 ? '' : `hour ${LOOK_HOURS[0]}: ${mib(first)}`,
    ]),
    notes: [
      verdict(
        'flat memory over 24 hours with 24 cuts, within 0.5 MiB',
        last - first <= GROWTH_MAX_BYTES && reconnects >= HOURS,
        `${mib(last - first)} between hour 2 and 24`,
      ),
      `Memory: ${trades.toLocaleString('en-US')} trades of three contracts of Binance, ${reconnects} reconnects; the heap behind a full garbage collection, with the simulated venue.`,
    ],
    json: { heaps, trades, reconnects },
  };
};

class DiscardedDay {
  readonly #dialect = new BinanceDialect('binance-usdm');
  readonly #contracts = contractsOf(this.#dialect);
  readonly #symbols = this.#contracts.map(({ venueSymbol }) => venueSymbol);
  readonly #venue = new SimVenue(seededRandom(2), this.#symbols, { dialect: this.#dialect });
  readonly #tape = new PlacesAlone();
  readonly #feed: LiveFeed;
  #nowMs = START_MS;
  #forgotAtMs = START_MS;

  constructor() {
    const { venue } = this.#dialect;
    this.#feed = new LiveFeed({
      ...{ venue, contracts: this.#contracts, intake: this.#tape, now: this.#now },
      ...{ budget: new VenueBudget(venue.limits), random: seededRandom(3) },
    });
  }

  get trades(): number {
    return this.#tape.count;
  }

  get reconnects(): number {
    return this.#feed.status(this.#now).reconnects;
  }

  run(ms: number): void {
    for (const until = this.#nowMs + ms; this.#nowMs < until; ) this.#step();
  }

  cut(): void {
    this.#venue.faults.isDown = true;
    this.#venue.cut(this.#nowMs);
  }

  heal(): void {
    this.#venue.faults.isDown = false;
  }

  heapBytes(): number {
    this.#venue.forget(REMEMBERED);
    collectGarbage();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  }

  get #now(): EpochNs {
    return (BigInt(this.#nowMs) * 1_000_000n) as EpochNs;
  }

  #step(): void {
    this.#nowMs += STEP_MS;
    const [nowMs, now] = [this.#nowMs, this.#now];
    this.#venue.trade(nowMs, STEP_MS, TRADES_PER_STEP);
    for (const [connection, event] of this.#venue.arrived(nowMs)) {
      this.#perform(this.#feed.event(connection, event, now));
    }
    for (const [id, answer] of this.#venue.answered(nowMs)) {
      this.#perform(this.#feed.page(id, answer, '', now));
    }
    this.#perform(this.#feed.timer(now));
    for (;;) {
      const offer = this.#feed.nextOffer(now);
      if (offer === null) break;
      this.#tape.take(offer);
      this.#feed.taken({ duplicate: 0, tooOld: 0, late: 0, rejected: 0 });
    }
    if (nowMs - this.#forgotAtMs < FORGETS_EVERY_MS) return;
    this.#forgotAtMs = nowMs;
    this.#venue.forget(REMEMBERED);
  }

  #perform(actions: readonly FeedAction[]): void {
    for (const action of actions) {
      if (action.kind === 'connect') {
        this.#venue.connect(action.connection, this.#nowMs, action.address);
      } else if (action.kind === 'close') this.#venue.close(action.connection);
      else if (action.kind === 'request') {
        this.#venue.request(action.id, action.request, this.#nowMs);
      } else this.#venue.send(action.connection, action.message, this.#nowMs);
    }
  }
}

/** What a feed resumes from, without the trades. */
class PlacesAlone {
  readonly gaps: TapeGap[] = [];
  readonly #lastIds = new Map<string, number>();
  readonly #positions = new Map<string, string>();
  promise: EpochNs | null = null;
  count = 0;

  lastId(symbol: string): number {
    return this.#lastIds.get(symbol) ?? -1;
  }

  position(key: string): string | null {
    return this.#positions.get(key) ?? null;
  }

  take({ batches, promise, notes }: NotedOffer): void {
    for (const { symbol, count, id } of batches) {
      this.#lastIds.set(symbol, id[count - 1]!);
      this.count += count;
    }
    for (const note of notes)
      if (note.kind === 'position') this.#positions.set(note.key, note.text);
    this.promise = promise ?? this.promise;
  }
}
