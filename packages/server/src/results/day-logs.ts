/**
 * The logs of days that a thread has in memory, from their files or as far as they were read: who asks for
 * the same day again gets the blocks that are there, and only what came after is computed; page after page,
 * and minute after minute, a long day is read once. A log that may grow is in one hand at a time: whoever
 * takes it out has it alone, and puts it back when its run stands. It serves while what it was made of is on
 * the tape, and nothing else.
 *
 * Memory is bounded by bytes, and runs by their number; what was used longest ago goes first.
 */

import type { DayLog, WantedDay } from './day-log.ts';
import { BLOCK_RANKS } from './logged-block.ts';

export interface DayLogsLimits {
  /** Logs with a run. */
  readonly runs: number;
  readonly bytes: number;
  /** From here on what is packed of a day is not held expanded too, and what is computed is packed. */
  readonly bytesPerDay: number;
  /** What they take then, at most; a day of more is not whole in the end, and has no file. */
  readonly packedBytesPerDay: number;
  /** Where logs are cut. */
  readonly blockRanks: number;
}

const LIMITS: DayLogsLimits = {
  runs: 32,
  bytes: 80 * 1024 * 1024,
  bytesPerDay: 24 * 1024 * 1024,
  packedBytesPerDay: 64 * 1024 * 1024,
  blockRanks: BLOCK_RANKS,
};

/** What a log is of, and made of. */
export interface LogOrigin {
  readonly key: string;
  /** Which days before it are on the tape, and whether it is itself. */
  readonly before: string;
  /** The trades of all its days, where they can never change. */
  readonly sealed: string | null;
}

interface Logged {
  readonly origin: LogOrigin;
  readonly log: DayLog;
  /** When it was put there. */
  readonly bytes: number;
}

export class DayLogs {
  readonly limits: DayLogsLimits;
  /** Those used last are last. */
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

  /** The log of a day, if it serves; one that may grow is the caller's alone then. */
  take(origin: LogOrigin, wanted: WantedDay): DayLog | null {
    const found = this.#logs.get(origin.key);
    if (found === undefined || !isSame(found.origin, origin) || !found.log.serves(wanted)) {
      return null;
    }
    this.#remove(origin.key);
    if (found.log.isOver) this.#add({ ...found, origin });
    return found.log;
  }

  /** Of two that were read side by side the one that came further stays. */
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

/** A day that was open when its log was made, and is sealed by now, has the trades it had. */
function isSame(made: LogOrigin, asked: LogOrigin): boolean {
  const isSealedAlike = made.sealed === null || made.sealed === asked.sealed;
  return made.before === asked.before && isSealedAlike;
}
