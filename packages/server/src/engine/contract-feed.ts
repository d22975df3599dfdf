/**
 * Follows the tape of one contract for all topics on it, at one delay. Each commit's trades are read once and given to
 * every topic in order, then the watermark (`promise`). Trades come only through the tape, so no study sees a trade
 * that is not on disk. Commits that arrive during a read are taken together; the published results do not depend on it.
 */

import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { placeBefore } from '../runs/place-before.ts';
import type { TapeDays } from '../runs/tape-days.ts';
import type { LiveTape, TapePlace } from '../tape/tape.ts';
import type { Flow } from './outgoing-flow.ts';

/** A topic's run, as the feed sees it. */
export interface FeedMember {
  readonly place: TapePlace;
  take(batch: TradeBatch): void;
  advance(promise: EpochNs): void;
  /** A call above threw: the member is out of the feed. */
  failed(error: unknown): void;
}

export interface FeedSource {
  readonly tape: LiveTape;
  readonly flow: Flow;
  /** The days of the contract, known as far as the members have come. */
  readonly days: TapeDays;
  readonly contract: string;
}

export class ContractFeed {
  readonly #tape: LiveTape;
  readonly #flow: Flow;
  readonly #days: TapeDays;
  readonly #symbol: string;
  readonly #delayNs: bigint;
  readonly #members = new Set<FeedMember>();
  #place: TapePlace | null = null;
  #isPumping = false;
  #isPending = false;
  #mayHaveTrades = false;

  constructor({ tape, flow, days, contract }: FeedSource, delaySeconds: number) {
    this.#tape = tape;
    this.#flow = flow;
    this.#days = days;
    this.#symbol = contract;
    this.#delayNs = BigInt(delaySeconds) * SECOND_NS_BIG;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /**
   * The tape time this feed may show; null on an empty tape. A tape that does not grow keeps its last session visible.
   */
  get horizon(): EpochNs | null {
    const promise = this.#tape.promiseOf(this.#symbol);
    if (promise === null) return null;
    const end = this.#tape.endOf?.(this.#symbol) ?? null;
    const seen = (promise - this.#delayNs) as EpochNs;
    return end !== null && end < seen ? end : seen;
  }

  /** Adds the member if it has read as far as the feed has given; otherwise it must read on first. */
  join(member: FeedMember): boolean {
    if (this.#members.size === 0 && !this.#isPumping) this.#place = member.place;
    else if (this.#place !== null && comparePlaces(member.place, this.#place) < 0) return false;
    this.#members.add(member);
    this.committed(true);
    return true;
  }

  leave(member: FeedMember): void {
    this.#members.delete(member);
  }

  /** The trades after a position that this feed may show now. */
  async read(from: TapePlace): Promise<AsyncIterable<TradeBatch>> {
    if (this.#delayNs === 0n || this.horizon === null) return this.#tape.read(this.#symbol, from);
    const to = await placeBefore(this.#tape, this.#symbol, this.horizon);
    return this.#tape.read(this.#symbol, from, to);
  }

  /** The tape has grown; `hasTrades`: whether for this contract. */
  committed(hasTrades: boolean): void {
    // A delayed feed reaches old trades with every commit.
    this.#mayHaveTrades ||= hasTrades || this.#delayNs > 0n;
    this.#isPending = true;
    if (this.#isPumping || this.#members.size === 0) return;
    if (this.#mayHaveTrades || !this.#flow.isOpen || !this.#knowsDays) void this.#pump();
    else this.#advance();
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    try {
      while (this.#isPending && this.#members.size > 0) {
        await this.#flow.opened();
        await this.#readOn();
      }
    } catch (error) {
      for (const member of [...this.#members]) this.#drop(member, error);
    } finally {
      this.#isPumping = false;
    }
  }

  async #readOn(): Promise<void> {
    // Taken before the read: all trades before this watermark can be read by then.
    const horizon = this.horizon;
    const mayHaveTrades = this.#mayHaveTrades;
    this.#isPending = false;
    this.#mayHaveTrades = false;
    if (horizon === null || this.#place === null) return;
    if (mayHaveTrades) {
      for await (const batch of await this.read(this.#place)) {
        await this.#days.learnFor(batch);
        this.#give(batch);
      }
    }
    await this.#days.learn(horizon);
    this.#each((member) => member.advance(horizon));
  }

  /** Whether the days and gaps up to the horizon are known. */
  get #knowsDays(): boolean {
    const { horizon } = this;
    return horizon === null || this.#days.enter(horizon);
  }

  #advance(): void {
    this.#isPending = false;
    const horizon = this.horizon;
    if (horizon !== null) this.#each((member) => member.advance(horizon));
  }

  #give(batch: TradeBatch): void {
    if (batch.count === 0) return;
    this.#each((member) => member.take(batch));
    this.#place = placeAfter(batch);
  }

  /** A member that fails leaves alone. */
  #each(act: (member: FeedMember) => void): void {
    for (const member of this.#members) {
      try {
        act(member);
      } catch (error) {
        this.#drop(member, error);
      }
    }
  }

  #drop(member: FeedMember, error: unknown): void {
    this.#members.delete(member);
    member.failed(error);
  }
}

function placeAfter(batch: TradeBatch): TapePlace {
  return { day: batch.day, rank: (batch.firstRank + batch.count - 1) as Rank };
}

function comparePlaces(a: TapePlace, b: TapePlace): number {
  return a.day - b.day || a.rank - b.rank;
}
