/** What became of everything a source handed over, counted since the start: `/metrics` shows it as it is. */

export interface SequencerCounters {
  /** Trades that got a rank. */
  accepted: number;
  /** Accepted, but earlier than the promise: stamped with it. */
  late: number;
  /** Accepted, but earlier than its contract's last trade: stamped with that one's time, or 1 ns later. */
  backwards: number;
  /** Accepted with a side that is none of -1, 0, +1: taken as unknown. */
  sideUnknown: number;
  /** Dropped: the feed number is on the tape already. */
  duplicate: number;
  /** Refused: the feed number lies below the window of numbers we remember. */
  tooOld: number;
  /** Refused: the feed number is no whole number from 0 to 2^53 - 1. */
  badId: number;
  /** Refused: a size of 0. */
  zeroSize: number;
  /** Refused: a size that is negative, fractional or too large. */
  badSize: number;
  /** Refused: a price between two ticks. */
  offTickPrice: number;
  /** Refused: a price that is no number or out of range. */
  badPrice: number;
  /** Refused: a time that is no whole nanosecond of the batch's day. */
  badTime: number;
  /** Refused: a time too far ahead of the clock and the promise. */
  aheadOfTime: number;
  /** Refused: the dataset has no such contract on that day. */
  unknownSymbol: number;
  /** Trades of a day to come that wait for midnight now. */
  held: number;
  /** Promises earlier than the one before: ignored. */
  promiseBackwards: number;
  /** Promises too far ahead of the clock: ignored. */
  promiseAhead: number;
  /** Offers refused because a limit of the intake was reached. */
  offersRefused: number;
  /** Commits on disk. */
  commits: number;
  /** Bytes of log on disk. */
  logBytes: number;
  /** Days sealed. */
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
