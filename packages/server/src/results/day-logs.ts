/**
 * The day logs that a thread has in memory. A repeated request gets existing blocks, and only later parts are computed:
 * a long day is read once, page after page and minute after minute. `take` gives a log that may grow to one caller
 * exclusively until `put`. A log is used only while its inputs are on the tape unchanged. Memory is bounded by bytes,
 * runs by their number; the least recently used log is evicted first.
 */

import type { DayLog, WantedDay } from './day-log.ts';
import { BLOCK_RANKS } from './logged-block.ts';

export interface DayLogsLimits {
  /** The limit on logs with a run. */
  readonly runs: number;
  readonly bytes: number;
  /** Above this, a day's packed blocks are not held expanded too, and computed blocks are packed. */
  readonly bytesPerDay: number;
  /** The limit on packed blocks; a larger day loses blocks and gets no file. */
  readonly packedBytesPerDay: number;
  /** The ranks in a block. */
  readonly blockRanks: number;
}

const LIMITS: DayLogsLimits = {
  runs: 32,
  bytes: 80 * 1024 * 1024,
  bytesPerDay: 24 * 1024 * 1024,
  packedBytesPerDay: 64 * 1024 * 1024,
  blockRanks: BLOCK_RANKS,
};

export interface LogOrigin {
  readonly key: string;
  /** Which days before it are on the tape, and whether the day itself is. */
  readonly before: string;
  /** Identifies all its trades if they can never change. */
  readonly sealed: string | null;
}

interface Logged {
  readonly origin: LogOrigin;
  readonly log: DayLog;
  /** The size when it was put. */
  readonly bytes: number;
}

export class DayLogs {
  readonly limits: DayLogsLimits;
  /** Least recently used first. */
  readonly #logs = new Map<string, Logged>();
  #bytes = 0;

  constructor(limits: Partial<DayLogsLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
  }

  get counts(): { readonly logs: number; readonly runs: number; readonly bytes: number } {
    const logs = [...this.#logs.values()];
    const runs = logs.filter(({ log }) => log.run !== null).length;
    return { logs: logs.length, runs, bytes: this.#bytes };
  }

  /** The log of a day, if it serves the request. A log that may grow then belongs to the caller alone. */
  take(origin: LogOrigin, wanted: WantedDay): DayLog | null {
    const found = this.#logs.get(origin.key);
    if (found === undefined || !isSame(found.origin, origin) || !found.log.serves(wanted)) {
      return null;
    }
    this.#remove(origin.key);
    if (found.log.isOver) this.#add({ ...found, origin });
    return found.log;
  }

  /** Of two logs read in parallel, the one that reached further stays. */
  put(origin: LogOrigin, log: DayLog): void {
    const other = this.#logs.get(origin.key);
    const isBehind = other !== undefined && other.log.covered > log.covered;
    if (isBehind && isSame(other.origin, origin)) return;
    this.#remove(origin.key);
    const { bytes } = log;
    if (bytes > this.limits.bytes) return;
    this.#add({ origin, log, bytes });
    this.#makeRoom();
  }

  #add(logged: Logged): void {
    this.#logs.set(logged.origin.key, logged);
    this.#bytes += logged.bytes;
  }

  #remove(key: string): void {
    this.#bytes -= this.#logs.get(key)?.bytes ?? 0;
    this.#logs.delete(key);
  }

  #makeRoom(): void {
    let { runs } = this.counts;
    for (const [key, { log }] of this.#logs) {
      const isRun = log.run !== null;
      const isTooMuch = this.#bytes > this.limits.bytes || (isRun && runs > this.limits.runs);
      if (!isTooMuch) continue;
      this.#remove(key);
      if (isRun) runs -= 1;
    }
  }
}

/** A log of an open day stays valid when the day is sealed: the trades are the same. */
function isSame(made: LogOrigin, asked: LogOrigin): boolean {
  const isSealedAlike = made.sealed === null || made.sealed === asked.sealed;
  return made.before === asked.before && isSealedAlike;
}
