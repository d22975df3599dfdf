/**
 * Computes the sealed days of a range and caches them, with the reader and the keys that the service uses. The tape is
 * only read. The cache may have other writers: a service may run on the same directory.
 */

import { setImmediate as rest } from 'node:timers/promises';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { isRefused } from '@tapeloom/server/platform/refusal';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { type CacheCounters, ResultCache } from '@tapeloom/server/results/result-cache';
import type { DaysPage } from '@tapeloom/server/results/settled-days';
import { SettledDaysReader } from '@tapeloom/server/results/settled-days-reader';
import { SessionTables } from '@tapeloom/server/runs/session-tables';
import { openStoredTape } from '@tapeloom/server/tape/read/stored-tape';
import type { Tape } from '@tapeloom/server/tape/tape';
import { sessionDates } from '@tapeloom/server/tape/write/session-dates';
import { SessionStore } from '@tapeloom/server/tape/write/session-store';
import type { WarmRequest } from './warm-request.ts';

/** `quiet`: no session that day, so nothing to cache. `not-kept`: the result is too large, or the disk failed. */
export type DayOutcome = 'kept' | 'there' | 'quiet' | 'not-kept' | 'damaged';

export interface WarmedDay {
  readonly day: UtcDay;
  readonly trades: number;
  readonly outcome: DayOutcome;
}

export interface WarmPlan {
  /** Sealed days of the range, with their trades. */
  readonly days: readonly { readonly day: UtcDay; readonly trades: number }[];
  /** Days on which the market traded but that are missing or damaged. */
  readonly missingDays: readonly UtcDay[];
}

export class WarmRun implements AsyncDisposable {
  readonly #request: WarmRequest;
  readonly #reader: SettledDaysReader;
  readonly #tape: Tape;
  readonly #results: ResultCache;

  private constructor(request: WarmRequest, tables: SessionTables, tape: Tape) {
    const { place, contract, indicator } = request;
    const disk = new NodeDisk();
    this.#request = request;
    this.#tape = tape;
    this.#results = new ResultCache({
      disk,
      root: place.root,
      bytesMax: place.bytesMax,
      now: () => Date.now(),
      writer: `${process.pid}-warm`,
    });
    this.#reader = new SettledDaysReader({
      tape: this.#tape,
      indicators: new Map([[indicator.id, indicator]]),
      sessionsOf: (symbol, kind) => tables.of(symbol, kind),
      yieldTurn: () => rest(),
      cache: { results: this.#results, datasetOf: () => contract.dataset },
      // Makes each day one page.
      pageBytes: 0,
    });
  }

  static async open(request: WarmRequest): Promise<WarmRun> {
    const { place, contract } = request;
    const tape = await openStoredTape(new NodeDisk(), `${place.data}/tape`, contract.dataset);
    return new WarmRun(request, await sessionsOf(request), tape);
  }

  /** Results evicted since the start. */
  get evicted(): number {
    return this.#results.counters.trimmed;
  }

  async plan(): Promise<WarmPlan> {
    const { contract, firstDay, lastDay } = this.#request;
    const onTape = await this.#tape.days(contract.symbol);
    const sealed = onTape.filter(({ day, state }) => state === 'sealed' && day >= firstDay);
    const last = lastDay ?? onTape.at(-1)?.day ?? firstDay;
    const days = sealed.filter(({ day }) => day <= last);
    // A day that may not be over yet does not count as missing.
    const end = addDays(onTape.at(-1)?.day ?? last, 1);
    const [from, to] = [epochNs(firstDay, 0), epochNs(last < end ? addDays(last, 1) : end, 0)];
    const { missingDays } = await this.#reader.coverage(contract.symbol, from, to);
    return { days: days.map(({ day, trades }) => ({ day, trades })), missingDays };
  }

  /** Each day of the plan once, in order. On an abort it ends with the signal's reason. */
  async *days(plan: WarmPlan, signal: AbortSignal): AsyncGenerator<WarmedDay> {
    for (let at = 0; at < plan.days.length; ) {
      const stretch = stretchFrom(plan, at);
      for await (const warmed of this.#warmed(stretch, signal)) {
        yield warmed;
        at += 1;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#results[Symbol.asyncDispose]();
  }

  /** Reads to the end, or up to a damaged day. */
  async *#warmed(days: WarmPlan['days'], signal: AbortSignal): AsyncGenerator<WarmedDay> {
    const { contract, indicator, params } = this.#request;
    let at = 0;
    try {
      await using read = await this.#reader.read({
        account: 'operator',
        contract: contract.symbol,
        indicator: indicator.id,
        params,
        // Includes the first day even if a session on it began on a missing day.
        from: epochNs(addDays(days[0]!.day, 1), -1),
        until: epochNs(addDays(days.at(-1)!.day, 1), 0),
        hasTail: false,
        form: 'frames',
      });
      let before = { ...this.#results.counters };
      for (;;) {
        const page = await unlessAborted(read.next(), signal);
        if (page === null) return;
        // Days without trades, and all but the last page of a large day, yield no entry.
        if (!page.parts.some(({ day, isDayOver }) => isDayOver && day === days[at]?.day)) continue;
        await this.#results.settled();
        yield { ...days[at]!, outcome: outcomeOf(before, this.#results.counters) };
        before = { ...this.#results.counters };
        at += 1;
      }
    } catch (error) {
      if (!isRefused(error, 'day-damaged')) throw error;
      yield { ...days[at]!, outcome: 'damaged' };
    }
  }
}

async function unlessAborted(
  next: Promise<DaysPage | null>,
  signal: AbortSignal,
): Promise<DaysPage | null> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([next, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    // After an abort the caller disposes of the read, which rejects the pending call.
    next.catch(() => {});
  }
}

/** The days from `first` up to the next missing one: a single read cannot cross a gap. */
function stretchFrom({ days, missingDays }: WarmPlan, first: number): WarmPlan['days'] {
  const gap = missingDays.find((day) => day > days[first]!.day) ?? Number.POSITIVE_INFINITY;
  return days.slice(first).filter(({ day }) => day < gap);
}

function outcomeOf(before: CacheCounters, after: CacheCounters): DayOutcome {
  if (after.kept > before.kept) return 'kept';
  if (after.hits > before.hits) return 'there';
  return after.misses === before.misses ? 'quiet' : 'not-kept';
}

/** The session tables that a service has after its start. */
async function sessionsOf({ place, contract, calendar }: WarmRequest): Promise<SessionTables> {
  const { symbol, dataset } = contract;
  const disk = new NodeDisk();
  const tapeRoot = `${place.data}/tape`;
  const now = createClock({ kind: 'system' }).now();
  const { from, to } = await sessionDates(disk, tapeRoot, dataset, now);
  const kept = await new SessionStore(disk, tapeRoot, dataset).load(calendar.name);
  const book = extendSessionBook(kept, calendar, from, to, now);
  const contracts = { [symbol]: { dataset, calendar: calendar.name } };
  return new SessionTables({ contracts, books: [{ dataset, book }] });
}
