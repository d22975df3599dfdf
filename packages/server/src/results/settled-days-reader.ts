/**
 * The settled days of one thread. Cached parts of a day come from memory or the day's file; the rest is computed, and
 * written to a file once the day is complete. Both give the same bytes. One run is carried over the days to compute. It
 * starts again after skipped days if reading on over them would take longer.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { computationOf } from '@tapeloom/core/studies/computation';
import { addDays, dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import { Refusal } from '../platform/refusal.ts';
import { type Cover, type CoverRequest, coverOf } from '../runs/cover.ts';
import { type Coverage, type CoveredStudy, coverageOf, needsOf } from '../runs/coverage.ts';
import { firstDayRead } from '../runs/look-back.ts';
import { type RunSource, runSource, type StudyCatalogue, studySource } from '../runs/run-source.ts';
import { dayInputs, type ResultInputs } from '../runs/settled-inputs.ts';
import {
  type CoveredTape,
  DamagedDays,
  type DayDamage,
  damagedDay,
  daysBefore,
  type TapeNow,
  tapeNow,
  withoutDays,
} from '../runs/sound-tape.ts';
import { TapeDays } from '../runs/tape-days.ts';
import type { TapeDay } from '../tape/tape.ts';
import { DayLog } from './day-log.ts';
import { DayLogs, type LogOrigin } from './day-logs.ts';
import { DaysPages } from './days-pages.ts';
import { compressFrame } from './frames.ts';
import type { LoggedBlock } from './logged-block.ts';
import { PulledRead, type PulledWork } from './pulled-read.ts';
import type { ResultCache } from './result-cache.ts';
import type { ResultKey } from './result-cache-file.ts';
import type { DaysPage, DaysRead, SettledDays, SettledDaysRequest } from './settled-days.ts';
import { SettledRead, tradesBefore } from './settled-read.ts';

/** Smaller blocks compress faster than a switch to other work takes. */
const ASIDE_BYTES = 64 * 1024;

export interface SettledDaysReaderOptions extends StudyCatalogue {
  readonly tape: CoveredTape;
  readonly yieldTurn: () => Promise<void>;
  /** Awaits work outside this thread while other work runs; default: plain waiting. */
  readonly aside?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Null: no disk cache. */
  readonly cache: CacheUse | null;
  /** The days held in memory; default: its own. */
  readonly logs?: DayLogs;
  /** Called with every day found damaged or missing. */
  readonly onDamage?: (damage: DayDamage) => void;
  readonly pageBytes?: number;
}

export interface CacheUse {
  readonly results: ResultCache;
  readonly datasetOf: (contract: string) => string;
}

interface AskedDay {
  readonly request: SettledDaysRequest;
  readonly source: RunSource;
  readonly day: UtcDay;
  /** The day's end, or `until` if that is earlier. */
  readonly end: EpochNs;
  readonly isWhole: boolean;
  readonly onTape: TapeNow['onTape'];
  readonly work: PulledWork;
}

interface SealedDay {
  readonly key: ResultKey;
  readonly inputs: ResultInputs;
}

export class SettledDaysReader implements SettledDays {
  /** Days found damaged in this thread or reported by others. */
  readonly damaged: DamagedDays;
  readonly #options: SettledDaysReaderOptions;
  readonly #logs: DayLogs;

  constructor(options: SettledDaysReaderOptions) {
    this.#options = options;
    this.damaged = new DamagedDays(options.tape, options.onDamage);
    this.#logs = options.logs ?? new DayLogs();
  }

  async coverage(
    contract: string,
    from: EpochNs,
    to: EpochNs,
    study: CoveredStudy | null = null,
  ): Promise<Coverage> {
    const source = study && { ...study, ...studySource(this.#options, { ...study, contract }) };
    return await this.#naming(contract, () =>
      coverageOf(this.#covered(contract), from, to, source),
    );
  }

  async cover(asked: CoverRequest, visible: EpochNs): Promise<Cover> {
    const { contract } = asked;
    const study = studySource(this.#options, asked);
    return await this.#naming(contract, () =>
      coverOf(this.#covered(contract), study, asked, visible),
    );
  }

  async daysOf(contracts: readonly string[]): Promise<readonly (readonly TapeDay[])[]> {
    const { tape } = this.#options;
    return await Promise.all(
      contracts.map(async (contract) => {
        const { onTape, damagedDays } = await tapeNow(tape, contract, this.damaged);
        const damaged = damagedDays.map((day): TapeDay => ({ day, trades: 0, state: 'damaged' }));
        return [...onTape.values(), ...damaged].sort((a, b) => a.day - b.day);
      }),
    );
  }

  async daysVersions(contracts: readonly string[]): Promise<readonly (string | null)[]> {
    const { tape } = this.#options;
    return await Promise.all(
      contracts.map(async (contract) => {
        const version = (await tape.daysVersion?.(contract)) ?? null;
        return version && `${version} ${(await this.damaged.still(contract)).join()}`;
      }),
    );
  }

  async read(request: SettledDaysRequest): Promise<DaysRead> {
    const { contract, from, until } = request;
    const whole = this.#pinned();
    const now = await tapeNow(whole, contract, this.damaged);
    const study = studySource(this.#options, request);
    const full = this.#options.sessionsOf(contract, 'full');
    const subject = { ...study, from, hasSnapshot: false };
    const { missingDays, inputs } = needsOf(now, full, from, until, subject);
    if (missingDays.length > 0 && request.allowsGaps !== true) {
      throw new Refusal({ t: 'days-missing', contract, days: missingDays });
    }
    const tape = withoutDays(whole, now.unreadable);
    const days = new TapeDays(tape, contract);
    days.note(until, now.onTape.values());
    const source = runSource(study, tape, days);
    return new PulledRead(inputs, (signal, work) =>
      this.#pages(request, source, now, { signal, work }),
    );
  }

  async *#pages(
    request: SettledDaysRequest,
    source: RunSource,
    { onTape }: TapeNow,
    { signal, work }: { readonly signal: AbortSignal; readonly work: PulledWork },
  ): AsyncGenerator<DaysPage> {
    const { yieldTurn, pageBytes } = this.#options;
    const { contract, from, until, after, last, form, skip = 0 } = request;
    const lastDay = last?.day ?? dayOf((until - 1n) as EpochNs);
    const pages = new DaysPages(skip, form, pageBytes);
    try {
      using read = new SettledRead(source, { yieldTurn, signal });
      let day = dayOf(from);
      if (after && after.day > day) day = after.day;
      for (; epochNs(day, 0) < until && day <= lastDay; day = addDays(day, 1)) {
        const dayEnd = epochNs(addDays(day, 1), 0);
        const end = dayEnd < until ? dayEnd : until;
        const asked = { request, source, day, end, isWhole: end === dayEnd, onTape, work };
        signal.throwIfAborted();
        yield* this.#dayPages(asked, read, pages);
        if (pages.isFull && day < lastDay) yield pages.take(midnightAfter(day), false);
        await yieldTurn();
      }
      signal.throwIfAborted();
      yield pages.take(midnightAfter(day), true);
    } catch (error) {
      throw this.#named(contract, error);
    }
  }

  /** Adds a day to pages. Yields full pages and, before computing, a page of the cached results. */
  async *#dayPages(asked: AskedDay, read: SettledRead, pages: DaysPages): AsyncGenerator<DaysPage> {
    const { request, source, day, end, isWhole, onTape } = asked;
    if (isQuiet(source.sessions, day)) {
      const rank = isWhole ? (onTape.get(day)?.trades ?? 0) : await tradesBefore(source, day, end);
      pages.open(day);
      pages.note({ rank, isDayOver: isWhole });
      return;
    }
    const inputs = dayInputs(source, day, onTape);
    const sealed = this.#sealedDay(asked, inputs);
    if (sealed !== null && (await this.#isSkipped(asked, sealed, pages))) return;
    const origin = this.#originOf(asked, inputs);
    const hasTail = request.hasTail && end === request.until;
    const log = await this.#logOf(asked, sealed, origin, hasTail);
    const after = request.after?.day === day ? request.after : null;
    const { bytesPerDay, packedBytesPerDay } = this.#logs.limits;
    let next = after === null ? 0 : log.blockOf(after.rank);
    // False while the run computes: an abort then leaves the log in an unusable state.
    let isSound = true;
    try {
      if (!log.covers(end)) {
        if (next < log.finished) yield* this.#given(asked, log, next, log.finished, pages);
        next = Math.max(next, log.finished);
        if (!pages.isEmpty || !asked.work.mayCompute) yield pages.take(log.startOf(next), false);
        isSound = false;
        for await (const _ of read.readOn(log, end)) {
          isSound = true;
          yield* this.#given(asked, log, next, log.finished, pages);
          next = Math.max(next, log.finished);
          await log.shrink(bytesPerDay, packedBytesPerDay);
          if (pages.isFull) yield pages.take(log.startOf(next), false);
          isSound = false;
        }
        isSound = true;
        if (sealed !== null && log.isOver) this.#keep(sealed, log);
      }
      yield* this.#given(asked, log, next, log.blocks.length, pages);
      pages.open(day);
      const rank = end === log.covered ? log.rank : await tradesBefore(source, day, end);
      const tail = hasTail ? log.tail!.copy().parts : null;
      pages.note({ rank, isDayOver: isWhole, isWarm: log.isWarm, tail });
    } finally {
      if (isSound) this.#logs.put(origin, log);
    }
  }

  /** Whether all of a day is only counted: then the cache's file head suffices. */
  async #isSkipped(
    { request, day, isWhole }: AskedDay,
    { key, inputs }: SealedDay,
    pages: DaysPages,
  ): Promise<boolean> {
    const { from, after, last } = request;
    const isCut = !isWhole || day === dayOf(from) || after?.day === day || last?.day === day;
    if (isCut || pages.skipLeft === 0) return false;
    const counts = await this.#options.cache!.results.count(key, inputs);
    if (counts?.isWarm !== true || counts.updates > pages.skipLeft) return false;
    pages.open(day);
    pages.skip(counts.updates);
    pages.note({ rank: counts.trades, isDayOver: true });
    return true;
  }

  /** Adds the requested part of a log's blocks [first, end) to pages. */
  async *#given(
    asked: AskedDay,
    log: DayLog,
    first: number,
    end: number,
    pages: DaysPages,
  ): AsyncGenerator<DaysPage> {
    const isFrame = asked.request.form === 'frames';
    const { blocks } = log;
    let { bytes } = log;
    for (let at = first; at < end; at += 1) {
      const block = blocks[at]!;
      bytes -= block.bytes;
      const span = spanOf(asked, block, log, at);
      pages.open(asked.day);
      pages.note({ rank: log.startOf(at + 1).rank - 1, isWarm: log.isWarm });
      const start = span.first + pages.skip(span.end - span.first);
      if (start < span.end) {
        if (isFrame) pages.addFrame(await this.#frame(block, start, span.end), span.end - start);
        else pages.addBlock(block.lend().slice(start, span.end));
      }
      if (bytes + block.bytes > this.#logs.limits.bytesPerDay) block.letBlockGo();
      bytes += block.bytes;
      if (pages.isFull && at < end - 1) yield pages.take(log.startOf(at + 1), false);
    }
  }

  async #frame(block: LoggedBlock, first: number, end: number): Promise<Uint8Array> {
    const { aside } = this.#options;
    const compressed = async () => {
      if (first === 0 && end === block.count) {
        const { frame } = await block.pack();
        // A frame needs no expanded block, and the caller may have to wait for its next slot now.
        block.letBlockGo();
        return frame;
      }
      const lent = block.lend();
      return await compressFrame(lent.text.subarray(lent.start(first), lent.ends[end - 1]));
    };
    const isSmall = aside === undefined || block.textBytes < ASIDE_BYTES || block.isPacked;
    return isSmall ? await compressed() : await aside(compressed);
  }

  /** The log from memory, from its file, or a new one that is computed from the start of the day. */
  async #logOf(
    { request, source, day, end, isWhole, onTape }: AskedDay,
    sealed: SealedDay | null,
    origin: LogOrigin,
    hasTail: boolean,
  ): Promise<DayLog> {
    const results = this.#options.cache?.results;
    const wanted = { end, hasTail, after: request.after ?? null };
    const held = this.#logs.take(origin, wanted);
    // A gap that was growing may have grown.
    if (held !== null && held.run !== null) held.source.days.note(request.until, onTape.values());
    if (held?.covers(end) === true) {
      if (sealed !== null && held.isOver) await results!.use(sealed.key);
      return held;
    }
    const { blockRanks } = this.#logs.limits;
    if (sealed !== null && (isWhole || !hasTail)) {
      const kept = await results!.find(sealed.key, sealed.inputs);
      const log = kept === null ? null : DayLog.whole(day, source, kept, blockRanks);
      if (log?.serves(wanted) === true) return log;
    }
    return held ?? new DayLog(day, source, blockRanks);
  }

  #keep({ key, inputs }: SealedDay, log: DayLog): void {
    this.#options.cache!.results.keep(key, inputs, log.whole);
  }

  /** Null if the day's results may change, or without a cache. */
  #sealedDay({ request, source, day }: AskedDay, inputs: ResultInputs | null): SealedDay | null {
    const { cache } = this.#options;
    if (cache === null || inputs === null) return null;
    const { contract, indicator, params } = request;
    const dataset = cache.datasetOf(contract);
    const fingerprint = computationOf(source.indicator);
    return { key: { dataset, contract, day, indicator, params, fingerprint }, inputs };
  }

  #originOf({ request, source, day, onTape }: AskedDay, inputs: ResultInputs | null): LogOrigin {
    const { contract, indicator, params } = request;
    const fingerprint = computationOf(source.indicator);
    const before = daysBefore(onTape, firstDayRead(source, day), day);
    return {
      key: JSON.stringify([contract, day, indicator, params, fingerprint]),
      before: `${before} ${startText(day, onTape)}`,
      sealed: inputs === null ? null : JSON.stringify(inputs),
    };
  }

  #covered(contract: string) {
    const fullSessions = this.#options.sessionsOf(contract, 'full');
    return { tape: this.#pinned(), contract, fullSessions, damaged: this.damaged };
  }

  /** All steps of one read must see the same days. */
  #pinned(): CoveredTape {
    const { tape } = this.#options;
    return tape.pinned?.() ?? tape;
  }

  async #naming<T>(contract: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#named(contract, error);
    }
  }

  /** Turns damage of a sealed day into an error that names the day, which counts as missing from then on. */
  #named(contract: string, error: unknown): unknown {
    const day = damagedDay(error);
    if (day === null) return error;
    this.damaged.found(contract, day, error);
    return new Refusal({ t: 'day-damaged', contract, day }, error);
  }
}

/** Whether a day is on the tape, and where its gaps begin: the same while it grows, if no gap is recorded. */
function startText(day: UtcDay, onTape: TapeNow['onTape']): string {
  const found = onTape.get(day);
  return found === undefined ? `without ${day}` : (found.gaps ?? []).map(([from]) => from).join();
}

/** Whether no session reaches into the day: the study then has no updates and nothing forms. */
function isQuiet(sessions: SessionTable, day: UtcDay): boolean {
  const session = sessions.atOrAfter(epochNs(day, 0));
  return session === null || session.open >= epochNs(addDays(day, 1), 0);
}

function spanOf(
  { request, day, end, isWhole }: AskedDay,
  logged: LoggedBlock,
  log: DayLog,
  at: number,
): { readonly first: number; readonly end: number } {
  const { from, after, last } = request;
  const { count, firstNs, lastNs } = logged;
  let [first, stop] = [0, count];
  const isFirstDay = day === dayOf(from);
  if (isFirstDay && count > 0 && firstNs <= nsOfDay(from)) {
    first = lastNs <= nsOfDay(from) ? count : logged.block.countKnownAt(nsOfDay(from));
  }
  if (after?.day === day && at <= log.blockOf(after.rank)) {
    first = Math.max(first, logged.block.countUpTo(after));
  }
  if (!isWhole && lastNs > nsOfDay(end)) {
    stop = firstNs > nsOfDay(end) ? 0 : logged.block.countKnownAt(nsOfDay(end));
  }
  if (last?.day === day && at >= log.blockOf(last.rank)) {
    stop = Math.min(stop, logged.block.countUpTo(last));
  }
  return { first: Math.min(first, stop), end: stop };
}

function midnightAfter(day: UtcDay) {
  return { day: addDays(day, 1), rank: 0 as Rank, k: 0 };
}
