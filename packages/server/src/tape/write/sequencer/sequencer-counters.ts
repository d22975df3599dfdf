/** Outcomes of everything that sources handed over, counted since the start; `/metrics` shows them unchanged. */

export interface SequencerCounters {
  /** Trades that got a rank. */
  accepted: number;
  /** Accepted, but earlier than the watermark: stamped with it. */
  late: number;
  /** Accepted, but earlier than its contract's last trade: stamped with that trade's time, or 1 ns later. */
  backwards: number;
  /** Accepted with a side other than -1, 0 and +1: taken as unknown. */
  sideUnknown: number;
  /** Dropped: the feed number is on the tape already. */
  duplicate: number;
  /** Rejected: the feed number is below the window of remembered numbers. */
  tooOld: number;
  /** Rejected: the feed number is not an integer from 0 to 2^53 - 1. */
  badId: number;
  /** Rejected: a size of 0. */
  zeroSize: number;
  /** Rejected: a size that is negative, fractional or too large. */
  badSize: number;
  /** Rejected: a price between two ticks. */
  offTickPrice: number;
  /** Rejected: a price that is not a number or out of range. */
  badPrice: number;
  /** Rejected: a time that is not a whole nanosecond of the batch's day. */
  badTime: number;
  /** Rejected: a time too far ahead of the clock and the watermark. */
  aheadOfTime: number;
  /** Rejected: the dataset has no such contract on that day. */
  unknownSymbol: number;
  /** Trades of a later day that wait for midnight now. */
  held: number;
  /** Watermarks earlier than the one before: ignored. */
  promiseBackwards: number;
  /** Watermarks too far ahead of the clock: ignored. */
  promiseAhead: number;
  /** Offers rejected because a limit of the intake was reached. */
  offersRefused: number;
  commits: number;
  logBytes: number;
  daysSealed: number;
  /** 1 once a write or sync failed and the tape stopped. */
  failed: number;
}

export function createCounters(): SequencerCounters {
  return {
    accepted: 0,
    late: 0,
    backwards: 0,
    sideUnknown: 0,
    duplicate: 0,
    tooOld: 0,
    badId: 0,
    zeroSize: 0,
    badSize: 0,
    offTickPrice: 0,
    badPrice: 0,
    badTime: 0,
    aheadOfTime: 0,
    unknownSymbol: 0,
    held: 0,
    promiseBackwards: 0,
    promiseAhead: 0,
    offersRefused: 0,
    commits: 0,
    logBytes: 0,
    daysSealed: 0,
    failed: 0,
  };
}
