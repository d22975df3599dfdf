/**
 * The port of a line: the trades of one contract of a feed, in the feed's order, without holes and duplicates. A line
 * is pure. It says which page of the past it needs, and hands out trades only behind all trades before them.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayFromNumber, epochNs } from '@tapeloom/core/utc-day';
import type { Loss } from '../watermark/gap-ledger.ts';

export interface FeedTrade {
  /** Grows along the feed. A line of a feed without numbers replaces it. */
  readonly id: number;
  /** The venue's time: days since 1970, and nanoseconds since that midnight. */
  readonly day: number;
  readonly ns: number;
  /** Ticks. A fraction is a price off the tick grid. */
  readonly price: number;
  /** Lots. */
  readonly size: number;
  /** Aggressor: +1 buyer, -1 seller, 0 unknown. */
  readonly side: number;
  /** The venue's text for this trade, where it has no number. */
  readonly key?: string;
  /** The kind of a print that is no order flow: it takes its number and is not offered. */
  readonly leftOut?: string;
}

/** A request for past trades. Null ends: as far as the venue has trades. */
export interface PageWish {
  /** The first number wanted; null: the newest trades. */
  readonly fromId: number | null;
  /** The last number wanted. */
  readonly toId: number | null;
  /** The known trade behind the hole, for venues whose pages have no numbers; null: none is known. */
  readonly before: FeedTrade | null;
}

export type PageReading =
  | {
      readonly kind: 'trades';
      readonly trades: readonly FeedTrade[];
      /** The venue has no later trade. */
      readonly isLast: boolean;
    }
  /** The venue does not remember so far back. `oldestId`: what it still has, if it says so. */
  | { readonly kind: 'forgotten'; readonly oldestId: number | null };

/** Every trade of this number and later ones can be had, which is every trade from this time on. */
export interface FirstTrade {
  /** Null: it was never traded. */
  readonly id: number | null;
  readonly from: EpochNs;
}

/** Trades to offer, and the loss that follows them. */
export interface LineOutput {
  readonly trades: readonly FeedTrade[];
  readonly loss: Loss | null;
}

export interface Line {
  readonly symbol: string;
  /** A connection delivers this contract from now on. */
  connected(now: EpochNs): void;
  disconnected(): void;
  live(trades: readonly FeedTrade[], now: EpochNs): void;
  /** The venue says that it has repeated what it was asked to. `at`: its time, estimated. */
  repeated?(at: EpochNs): void;
  /** The page to request now; null: none. One page at a time: `page` or `pageFailed` follows. */
  wanted(now: EpochNs): PageWish | null;
  page(wish: PageWish, reading: PageReading, now: EpochNs): void;
  pageFailed(): void;
  /** Everything that the venue has traded so far was handed out. */
  readonly isWhole: boolean;
  /** Since when trades are known to be outstanding although a later one is there; null: none are. */
  readonly holeSince: EpochNs | null;
  /** Calls the outstanding trades lost, and goes on behind them. */
  giveUp(now: EpochNs): void;
  /** The next trades, up to `max`; the loss, if any, lies behind them. Null: nothing is there. */
  take(max: number): LineOutput | null;
  /** What the tape must hold besides the trades taken so far, to resume behind them. Null: nothing new. */
  takePosition(): string | null;
  /** A page with which a silent line can be compared; null: there is none. */
  readonly checkWish: PageWish | null;
  /** Whether the line has not seen one of these trades. */
  lacks(trades: readonly FeedTrade[]): boolean;
  /** The time behind the newest trade that a new line does not have; null: it has all, or no trade is known. */
  readonly beginsBehind: EpochNs | null;
  /** It looks for the place where it begins. Until then it hands out nothing. */
  readonly isSearching?: boolean;
  /** It begins with the next trade instead. */
  endSearch?(): void;
  /** What it has found; null: it did not look, or not to the end. */
  readonly first?: FirstTrade | null;
  /** Why the line cannot go on; null: it can. */
  readonly fault: string | null;
  /** How many numbered prints were no order flow, by their kind. */
  readonly leftOut?: ReadonlyMap<string, number>;
}

export function instantOf({ day, ns }: Pick<FeedTrade, 'day' | 'ns'>): EpochNs {
  return epochNs(dayFromNumber(day), ns);
}
