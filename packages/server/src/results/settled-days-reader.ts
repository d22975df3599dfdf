/**
 * Settled days of one thread: those that are kept come from the cache, the others are computed, and kept
 * where they are complete. What comes out is the same bytes either way. One run is carried over the days
 * that have to be computed; it begins at the first of them, and begins anew where days from the cache
 * lie between and reading on over them would be longer.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { computationOf } from '@tapeloom/core/studies/computation';
import { addDays, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import { Refusal } from '../platform/refusal.ts';
import {
  type Coverage,
  type CoveredStudy,
  coverageOf,
  tradesAfterCursor,
} from '../runs/coverage.ts';
import { compressLines, noLines, noSettledLines } from '../runs/day-lines.ts';
import { firstDayRead } from '../runs/look-back.ts';
import { type RunSource, runSource, type StudyCatalogue, studySource } from '../runs/run-source.ts';
import {
  type CoveredTape,
  DamagedDays,
  damagedDay,
  daysBefore,
  type TapeNow,
  tapeNow,
  withoutDays,
} from '../runs/sound-tape.ts';
import type { HeldDays } from './held-days.ts';
import {
  type AskedDay,
  countKept,
  HandedOut,
  type KeptDay,
  keepPiece,
  keptPieces,
} from './kept-pieces.ts';
import { LineSkipping } from './line-skipping.ts';
import { PulledRead } from './pulled-read.ts';
import type { ResultCache } from './result-cache.ts';
import type {
  DayResult,
  DaysPosition,
  DaysRead,
  SettledDays,
  SettledDaysRequest,
} from './settled-days.ts';
import { type DayDigest, inputsOf } from './settled-inputs.ts';
import { type DayPiece, PIECE_BYTES, SettledRead, tradesBefore } from './settled-read.ts';

/** Fewer are compressed in less time than it takes to let others go on. */
const ASIDE_BYTES = 64 * 1024;

export interface SettledDaysReaderOptions extends StudyCatalogue {
  readonly tape: CoveredTape;
  /** Lets other work of this thread happen. */
  readonly yieldTurn: () => Promise<void>;
  /** Waits for what is done elsewhere, while the thread does other work; by default it waits itself. */
  readonly aside?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Null: nothing is kept, and nothing looked for. */
  readonly cache: CacheUse | null;
  /** Where days that are not in the cache are held, as far as they were read; by default nowhere. */
  readonly held?: HeldDays;
  /** When a piece of a day is full, if not as usual. */
  readonly pieceBytes?: number;
}

export interface CacheUse {
  readonly results: ResultCache;
  readonly digest: DayDigest;
  readonly dataset: string;
}

export class SettledDaysReader implements SettledDays {
  /** Days found damaged here, or told by others. */
  readonly damaged = new DamagedDays();
  readonly #options: SettledDaysReaderOptions;

  constructor(options: SettledDaysReaderOptions) {
    this.#options = options;
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

  async tradesAfter(contract: string, after: string, to: EpochNs): Promise<number> {
    return await this.#naming(contract, () =>
      tradesAfterCursor(this.#covered(contract), after, to),
    );
  }

  async read(request: SettledDaysRequest): Promise<DaysRead> {
    const { contract, firstDay, from = epochNs(firstDay, 0), until } = request;
    const now = await tapeNow(this.#options.tape, contract, this.damaged);
    const study = studySource(this.#options, request);
    const { missingDays, inputs } = await this.#naming(contract, () => {
      const covered = { ...this.#covered(contract), now };
      return coverageOf(covered, from, until, { ...study, from, hasSnapshot: false });
    });
    if (missingDays.length > 0) {
      throw new Refusal({ t: 'days-missing', contract, days: missingDays });
    }
    const tape = withoutDays(this.#options.tape, now.damagedDays);
    const source = runSource(study, tape);
    return new PulledRead(inputs, (signal) => this.#results(request, source, now, signal));
  }

  async *#results(
    request: SettledDaysRequest,
    source: RunSource,
    { onTape }: TapeNow,
    signal: AbortSignal,
  ): AsyncGenerator<DayResult> {
    const { yieldTurn, pieceBytes } = this.#options;
    const { contract, until, goOn } = request;
    const firstDay = goOn?.day ?? request.firstDay;
    if (goOn?.hasTail === true) return;
    try {
      const pace = { yieldTurn, signal };
      using read = new SettledRead({ source, pace, ...(pieceBytes && { pieceBytes }) });
      // Who goes on is given what he could skip: he has counted some of it.
      const skipping = new LineSkipping(goOn === undefined ? request.skip : undefined);
      for (let day = firstDay; epochNs(day, 0) < until; day = addDays(day, 1)) {
        const dayEnd = epochNs(addDays(day, 1), 0);
        const end = dayEnd < until ? dayEnd : until;
        const asked = { request, source, day, end, isWhole: end === dayEnd, onTape };
        signal.throwIfAborted();
        if (skipping.mayGoOn && end < until && skipping.skips(await this.#linesKept(asked))) {
          await yieldTurn();
          continue;
        }
        const results =
          day === goOn?.day ? this.#restOfDay(asked, read, goOn) : this.#dayResults(asked, read);
        for await (const result of results) yield skipping.counted(result);
      }
      signal.throwIfAborted();
    } catch (error) {
      throw this.#named(contract, error);
    }
  }

  /** Of the results of a day what follows a position, however they were cut before. */
  async *#restOfDay(
    asked: AskedDay,
    read: SettledRead,
    position: DaysPosition,
  ): AsyncGenerator<DayResult> {
    const handedOut = new HandedOut(position);
    const kept = handedOut.end === null ? null : await this.#keptDay(asked);
    if (kept !== null && (asked.isWhole || !asked.request.hasTail)) {
      yield* keptPieces(asked, kept, handedOut);
      if (handedOut.isAll) return;
    }
    const isFrame = asked.request.form === 'frames';
    const asLines: AskedDay = { ...asked, request: { ...asked.request, form: 'lines' } };
    // A result without lines says that its day is over, so trades alone wait for the next lines.
    let quiet: DayPiece | null = null;
    for await (const result of this.#dayResults(asLines, read)) {
      const tail = result.tail.ends.length === 0 ? null : result.tail;
      const rest = handedOut.rest({ ...result, tail, place: null });
      if (rest === null) {
        await this.#options.yieldTurn();
        continue;
      }
      const piece: DayPiece = { ...rest, trades: rest.trades + (quiet?.trades ?? 0) };
      const isQuiet = rest.settled.ends.length === 0 && tail === null;
      quiet = isQuiet ? piece : null;
      if (isQuiet) continue;
      const frame = isFrame ? await this.#compress(rest.settled.bytes) : undefined;
      yield pieceResult(asked, piece, frame, false);
    }
    if (quiet !== null && quiet.trades > 0) {
      yield pieceResult(asked, quiet, isFrame ? null : undefined, false);
    }
  }

  async *#dayResults(asked: AskedDay, read: SettledRead): AsyncGenerator<DayResult> {
    const { request, source, day, end, isWhole, onTape } = asked;
    const isSealed = onTape.get(day)?.state === 'sealed';
    if (isQuiet(source.sessions, day)) {
      yield quietResult(day, await tradesBefore(source, day, end), isSealed && isWhole);
      return;
    }
    const kept = await this.#keptDay(asked);
    const handedOut = new HandedOut();
    if (kept !== null && (isWhole || !request.hasTail)) {
      yield* keptPieces(asked, kept, handedOut);
      if (handedOut.isAll) return;
    }
    const isFrame = request.form === 'frames';
    for await (const piece of this.#pieces(asked, read, kept !== null)) {
      const rest = handedOut.rest(piece);
      const frame = isFrame && rest !== null ? await this.#compress(rest.settled.bytes) : undefined;
      if (kept !== null && isWhole) keepPiece(kept, piece, rest === piece ? frame : undefined);
      if (rest === null) continue;
      yield pieceResult(asked, rest, frame, isWhole && isSealed && isOnly(rest));
    }
  }

  /** Of a day that is computed, as far as it is not held. */
  async *#pieces(
    { request, source, day, end, isWhole, onTape }: AskedDay,
    read: SettledRead,
    isKept: boolean,
  ): AsyncGenerator<DayPiece> {
    const { held: days, pieceBytes = PIECE_BYTES } = this.#options;
    if (days === undefined) {
      yield* read.pieces(day, end);
      return;
    }
    const hasTail = request.hasTail && end === request.until;
    const after = request.after?.day === day ? request.after : null;
    const inputs = daysBefore(onTape, firstDayRead(source, day), day);
    const taken = days.take(request, inputs, day, end, hasTail, after);
    const held = taken ?? days.create(day, source, inputs);
    // Only while nothing is being computed.
    let isSound = true;
    try {
      if (taken !== null) {
        const trades = held.covers(end) ? await tradesBefore(source, day, end) : held.rank;
        yield* held.pieces(end, trades, after);
        if (held.covers(end)) return;
      }
      isSound = false;
      for await (const piece of taken === null
        ? read.pieces(day, end)
        : read.piecesAfter(held, end)) {
        const isLast = piece.tail !== null;
        // A whole day in one piece is kept on disk.
        if (!(isKept && isWhole && isOnly(piece))) {
          held.add(piece, end, pieceBytes);
          held.run = isWhole && isLast ? null : read.run;
          isSound = true;
        }
        yield piece;
        isSound &&= isLast;
      }
    } finally {
      if (isSound) days.put(request, held);
    }
  }

  /** Null when the day's result may change, or nothing is kept. */
  async #keptDay({ request, source, day, onTape }: AskedDay): Promise<KeptDay | null> {
    const { cache } = this.#options;
    if (cache === null) return null;
    const inputs = await inputsOf(source, day, onTape, cache.digest);
    if (inputs === null) return null;
    const { results, dataset } = cache;
    const { contract, indicator, params } = request;
    const fingerprint = computationOf(source.indicator);
    return { results, key: { dataset, contract, day, indicator, params, fingerprint }, inputs };
  }

  /** Lines of a whole day, of the first one after where skipping begins; null when they are to be made. */
  async #linesKept(asked: AskedDay): Promise<number | null> {
    const { request, source, day } = asked;
    if (isQuiet(source.sessions, day)) return 0;
    const kept = await this.#keptDay(asked);
    const { after } = request.skip!;
    const afterNs = epochNs(day, 0) < after ? nsOfDay(after) : null;
    return kept === null ? null : await countKept(kept, afterNs);
  }

  async #compress(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null> {
    const { aside } = this.#options;
    if (aside === undefined || bytes.length < ASIDE_BYTES) return await compressLines(bytes);
    return await aside(() => compressLines(bytes));
  }

  #covered(contract: string) {
    const { tape, sessionsOf } = this.#options;
    const fullSessions = sessionsOf(contract, 'full');
    return { tape, contract, fullSessions, damaged: this.damaged };
  }

  async #naming<T>(contract: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#named(contract, error);
    }
  }

  /** Damage of a sealed day is told by its day, which counts as missing from then on. */
  #named(contract: string, error: unknown): unknown {
    const day = damagedDay(error);
    if (day === null) return error;
    this.damaged.add(contract, day);
    return new Refusal({ t: 'day-damaged', contract, day }, error);
  }
}

/** Whether no session reaches into the day: the study has nothing to say then, and nothing forms. */
function isQuiet(sessions: SessionTable, day: UtcDay): boolean {
  const session = sessions.atOrAfter(epochNs(day, 0));
  return session === null || session.open >= epochNs(addDays(day, 1), 0);
}

function quietResult(day: UtcDay, trades: number, isComplete: boolean): DayResult {
  const settled = noSettledLines();
  return { day, trades, isComplete, settled, frame: null, tail: noLines(), isWarm: true };
}

function pieceResult(
  { request, day, end }: AskedDay,
  { settled, trades, isWarm, tail }: DayPiece,
  frame: Uint8Array<ArrayBuffer> | null | undefined,
  isComplete: boolean,
): DayResult {
  const isTailWanted = request.hasTail && end === request.until && tail !== null;
  return {
    day,
    trades,
    isComplete,
    settled: frame === undefined ? settled : { ...settled, bytes: new Uint8Array(0) },
    frame: frame ?? null,
    tail: isTailWanted ? tail : noLines(),
    isWarm,
  };
}

/** Whether a piece is all of its day. */
function isOnly({ place }: DayPiece): boolean {
  return place !== null && place.after === null && place.end === null;
}
