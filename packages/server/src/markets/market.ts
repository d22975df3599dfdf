/**
 * The port of a market: one dataset, what is listed in it, and where its trades come from. Who uses it knows no
 * market by name: `open-market.ts` and `open-live-market.ts` alone make one from its setting, which can pass
 * between threads.
 */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../platform/clock.ts';
import type { Disk } from '../platform/disk/disk.ts';
import type { TapeManifest } from '../tape/tape-manifest.ts';
import type { Intake } from '../tape/write/intake.ts';

export interface Market {
  readonly dataset: string;
  /** As it is on a day: contracts expire, others are listed, aliases roll. */
  listing(day: UtcDay): MarketListing;
  /** A trading calendar of its contracts. */
  calendar(name: string): Calendar;
  /** Where it plays a time that is over. */
  readonly played?: PlayedTime;
}

export interface PlayedTime {
  /** The service's time at its start. */
  readonly from: EpochNs;
  /** All trades are earlier. */
  readonly end: EpochNs;
  /** Whether time stands still until it is let go. */
  readonly isHeld: boolean;
}

export interface MarketListing {
  readonly book: InstrumentBook;
  /** The contracts of the book. */
  readonly contracts: readonly Contract[];
  /** Those that can be streamed on a day, which may be another one: they trade live, or were imported. */
  streamedOn(day: UtcDay): readonly Contract[];
}

/** A market in the thread that writes its tape. */
export interface LiveMarket extends Market {
  /** The tape belongs to whoever began it: another is refused with a `TapeClaimedError`. */
  claim(disk: Disk, tapeRoot: string): Promise<void>;
  /** Which past days it can fill, and which of them are needed first. */
  planFill(disk: Disk, tapeRoot: string, now: EpochNs): Promise<FillPlan>;
  /** Makes and seals days, in about their order; resolves to why some must not be made. */
  fill(request: FillRequest): Promise<readonly string[]>;
  /** What hands its trades to the tape. */
  source(options: SourceOptions): TradeSource;
}

export interface FillItem {
  readonly symbol: string;
  readonly day: UtcDay;
}

export interface FillPlan {
  /** What the first streams need. */
  readonly ready: readonly FillItem[];
  readonly rest: readonly FillItem[];
}

export interface FillRequest {
  readonly tapeRoot: string;
  readonly today: UtcDay;
  readonly items: readonly FillItem[];
  readonly manifest: TapeManifest;
  readonly signal: AbortSignal;
  onSealed(item: FillItem): void;
}

/** A day could not be made or sealed. */
export class FillError extends Error {
  constructor({ symbol, day }: FillItem, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${symbol} ${day} failed: ${why}`, { cause });
  }
}

/** The tape was begun by another market. */
export class TapeClaimedError extends Error {}

export interface SourceOptions {
  readonly disk: Disk;
  readonly intake: Intake;
  readonly clock: Clock;
  /** The first day this source makes from its midnight on; days before it are filled. */
  readonly resumeDay: UtcDay;
  /** The day whose log is open and goes on; null when there is none. */
  readonly openDay: UtcDay | null;
}

export interface TradeSource {
  /** How far it is behind the clock, in milliseconds; 0 when the clock is behind it. */
  readonly lagMs: number;
  /** Runs until aborted. Rejects when the intake fails: nothing more can be taken then. */
  run(signal: AbortSignal): Promise<void>;
  /** A reader waits at the edge of the tape: the next watermark is offered soon, where the source can know one. */
  requestWatermark(): void;
}
