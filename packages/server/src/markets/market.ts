/**
 * The port of a market: one dataset, its listing, and the source of its trades. Users of a market do not know its kind:
 * only `open-market.ts` and `open-live-market.ts` create one from its setting, which can pass between threads.
 */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { OffTickPrice, PushPosition } from '@tapeloom/protocol/push';
import type { Clock } from '../platform/clock.ts';
import type { Disk } from '../platform/disk/disk.ts';
import type { PushAnswer, PushRequest } from '../platform/push-exchange.ts';
import type { TapeManifest } from '../tape/tape-manifest.ts';
import type { Intake } from '../tape/write/intake.ts';
import type { MemberTape } from './composite/member-tape.ts';
import type { ListedDataset } from './instruments/instruments-file.ts';
import type { ConnectionState } from './live/feed.ts';

export interface Market {
  readonly dataset: string;
  /** The listing on a day: contracts expire, others are listed, aliases roll. */
  listing(day: UtcDay): MarketListing;
  calendar(name: string): Calendar;
  /** Set when the market replays a past time. */
  readonly played?: PlayedTime;
}

export interface PlayedTime {
  /** The service's time at its start. */
  readonly from: EpochNs;
  /** All trades are before this. */
  readonly end: EpochNs;
  /** Whether the clock stands still until it is released. */
  readonly isHeld: boolean;
}

export interface MarketListing {
  readonly book: InstrumentBook;
  readonly contracts: readonly Contract[];
  /** The contracts that can be streamed on `day`, which may differ from the listing's: live or imported ones. */
  streamedOn(day: UtcDay): readonly Contract[];
}

/** What a tape knows of its beginning. */
export type PlanIntake = Pick<Intake, 'promise' | 'position' | 'gaps' | 'lastId'>;

/** A market in the thread that writes its tape. */
export interface LiveMarket extends Market {
  /** Binds the tape to the market that began it: another one is rejected with a `TapeClaimedError`. */
  claim(disk: Disk, tapeRoot: string): Promise<void>;
  /** The past days that it can fill, and which of them are needed first. `intake`: of its tape. */
  planFill(disk: Disk, tapeRoot: string, now: EpochNs, intake: PlanIntake): Promise<FillPlan>;
  /** Makes and seals days, roughly in order, while its source runs; resolves to the conflicts. */
  fill(request: FillRequest): Promise<readonly string[]>;
  source(options: SourceOptions): TradeSource;
  /** Replaces the contracts while the source runs; absent: they are fixed. */
  relist?(listed: ListedDataset): void;
  /** The tape of another dataset can be read in this thread; absent: no trades come from others. */
  join?(dataset: string, tape: MemberTape): void;
}

export interface FillItem {
  readonly symbol: string;
  readonly day: UtcDay;
}

export interface FillPlan {
  /** The days that the first streams need. */
  readonly ready: readonly FillItem[];
  readonly rest: readonly FillItem[];
}

export interface FillRequest {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly today: UtcDay;
  readonly items: readonly FillItem[];
  readonly manifest: TapeManifest;
  readonly signal: AbortSignal;
  onSealed(item: FillItem): void;
}

export class FillError extends Error {
  constructor({ symbol, day }: FillItem, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${symbol} ${day} failed: ${why}`, { cause });
  }
}

/** The source cannot be used as it is set; the message is for the operator. */
export class SourceRefusedError extends Error {}

/** The tape was begun by another market. */
export class TapeClaimedError extends SourceRefusedError {}

export interface SourceOptions {
  readonly disk: Disk;
  readonly intake: Intake;
  readonly clock: Clock;
  /** Nanoseconds of a clock that never jumps. */
  readonly monotonicNs: () => bigint;
  readonly random: () => number;
  /** The first day that this source makes from midnight on; earlier days are filled. */
  readonly resumeDay: UtcDay;
  /** The day whose log is open and continues; null when there is none. */
  readonly openDay: UtcDay | null;
  /** The trading days of a contract; null: unknown. */
  hoursOf(symbol: string): Pick<SessionTable, 'atOrAfter'> | null;
  /** The trades of a contract cannot be taken because of this price; or (null) they can again. */
  onOffTick(contract: string, price: OffTickPrice | null): void;
  /** The trades of a contract are not taken. */
  onContractDown(contract: string, why: string): void;
}

/** How the connection to the origin of the trades is. */
export interface FeedReport {
  /** `stale`: nothing comes although the market may trade. `down`: for a minute or longer. */
  readonly state: 'live' | 'stale' | 'down';
  /** Connections that ended; of pushed trades, how often they came back. */
  readonly reconnects: number;
  /** Gaps that grow, one for each contract. */
  readonly gapsOpen: number;
  /** Gaps that have ended since the start. */
  readonly gapsClosed: number;
  /** The share of the venue's request budget that is left; null: there is none. */
  readonly requestsLeft: number | null;
  /** Omitted where trades are pushed. */
  readonly venue?: VenueReport;
}

/** The connection to a venue. */
export interface VenueReport {
  readonly connection: ConnectionState;
  /** Why the last connection ended; null: none has. */
  readonly lastEnd: string | null;
  /** Why the venue wants no connection now, or why the last request of past trades failed; null: neither. */
  readonly lastFailure: string | null;
  /** Contracts whose trades are not taken. */
  readonly contractsDown: number;
  /** Prints that are no order flow, by their kind. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Oddities behind which nothing is missing, by their kind. */
  readonly notes: Readonly<Record<string, number>>;
}

export interface TradeSource {
  /** Time behind the clock, in milliseconds; 0 when the clock is behind. */
  readonly lagMs: number;
  /** Set when its trades come from elsewhere: it cannot catch up by itself, so readers do not wait until it does. */
  readonly feed?: FeedReport;
  /** Runs until aborted. Rejects when the intake fails, because it accepts nothing more. */
  run(signal: AbortSignal): Promise<void>;
  /** A reader waits at the end of the tape: the next watermark is offered soon, if the source can know one. */
  requestWatermark(): void;
  /** Absent: this source takes no pushed trades. */
  readonly pushed?: PushedTrades;
}

/** The trades that other programs push to a source. */
export interface PushedTrades {
  push(request: PushRequest): Promise<PushAnswer>;
  position(): PushPosition;
}
