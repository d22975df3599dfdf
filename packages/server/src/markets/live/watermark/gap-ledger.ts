/**
 * The gaps of a feed's contracts: those on the tape, and the outages that still grow. A gap is noted before the
 * watermark passes its beginning. A trade that a gap has named as missing is never admitted again, so a reader who was
 * shown a gap never finds its trades later.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf, epochNs, later } from '@tapeloom/core/utc-day';
import type { TapeGap } from '../../../tape/tape-gap.ts';
import type { TapeNote } from '../../../tape/write/tape-note.ts';
import { closeAfter, isOpenAt, type OpenHours, openFrom, openStretches } from './open-hours.ts';

/** The reason of trades that the venue no longer has. */
export const LOST = 'lost';
/** The reason of a gap from midnight to a contract's first trade on the tape. */
export const START = 'start';

/** The first and the last missing number, both included. */
export interface MissingIds {
  readonly firstId: number;
  readonly lastId: number;
}

export interface Loss {
  /** All trades before this are there; 0: unknown. */
  readonly from: EpochNs;
  /** All trades from here on are there. */
  readonly to: EpochNs;
  /** Null where the feed has no numbers. */
  readonly ids: MissingIds | null;
  /** Where `ids` is null: all trades that the tape numbers lower are there, whatever their time. */
  readonly firstId?: number;
  readonly reason: string;
}

/** A loss whose end is unknown. */
interface Outage {
  readonly from: EpochNs;
  readonly reason: string;
  /** The first number that may be missing. */
  firstId: number | null;
  /** Whether an earlier run of the process began it: then some of its missing numbers are unknown here. */
  readonly isRestored: boolean;
  /** Everything before this is noted or not open. */
  notedTo: EpochNs;
  /** The note that still grows. */
  growing: Pick<TapeGap, 'from' | 'firstId'> | null;
  missing: (MissingIds & { readonly isWhole: boolean }) | null;
}

export interface GapLedgerOptions {
  readonly hoursOf: (symbol: string) => OpenHours;
  /** The gaps on the tape. */
  readonly gaps: readonly TapeGap[];
  /** The source's notes on the tape. */
  readonly position: (key: string) => string | null;
}

export class GapLedger {
  readonly #hoursOf: (symbol: string) => OpenHours;
  readonly #closed = new Map<string, TapeGap[]>();
  readonly #outages = new Map<string, Outage>();
  #notes: TapeNote[] = [];
  closedTotal = 0;

  constructor({ hoursOf, gaps, position }: GapLedgerOptions) {
    this.#hoursOf = hoursOf;
    for (const gap of gaps) {
      if (gap.to === null) this.#restore(gap, position(outageKey(gap.symbol)));
      else this.#closedOf(gap.symbol).push(gap);
    }
  }

  get growing(): readonly { readonly symbol: string; readonly from: EpochNs }[] {
    return [...this.#outages].map(([symbol, { from }]) => ({ symbol, from }));
  }

  get notesCount(): number {
    return this.#notes.length;
  }

  reasonOf(symbol: string): string | null {
    return this.#outages.get(symbol)?.reason ?? null;
  }

  takeNotes(): readonly TapeNote[] {
    const notes = this.#notes;
    this.#notes = [];
    const ends = new Map(notes.map((note) => [noteKey(note), note]));
    // A gap that ended before anyone knew of it needs no word about its growth.
    return notes.filter((note) => ends.get(noteKey(note)) === note);
  }

  /** Begins an outage. It is noted once the watermark reaches it. */
  open(symbol: string, from: EpochNs, reason: string, firstId: number | null): void {
    this.#outages.set(symbol, {
      from,
      reason,
      firstId,
      isRestored: false,
      notedTo: from,
      growing: null,
      missing: null,
    });
  }

  /** Notes all outages up to the watermark. */
  grow(watermark: EpochNs): void {
    for (const [symbol, outage] of this.#outages) this.#grow(symbol, outage, watermark);
  }

  /**
   * The outage is over: from `to` on all trades are there. `to` is not before the watermark. `lastId`: the number
   * before the first trade that is there, where the numbers of the outage are not known otherwise. Returns whether the
   * gap names all missing trades by their numbers.
   */
  close(symbol: string, to: EpochNs, lastId: number | null): boolean {
    const outage = this.#outages.get(symbol);
    if (outage === undefined) return false;
    this.#grow(symbol, outage, to);
    this.#outages.delete(symbol);
    // Numbers are a gap's name only if every missing one is known: the first one follows the last trade before the gap.
    const { growing, missing, isRestored, reason } = outage;
    const begins = outage.firstId !== null && missing?.firstId === outage.firstId;
    const ids = !isRestored && begins && missing.isWhole ? missing : null;
    if (growing === null) return false;
    const { from } = growing;
    const firstId = ids?.firstId ?? growing.firstId;
    this.#noteClosed({
      symbol,
      from,
      to: later(to, notedTo(growing)),
      firstId,
      lastId: ids?.lastId ?? lastId,
      reason,
    });
    return ids !== null;
  }

  /** Trades that no one has any more. */
  lose(symbol: string, loss: Loss, watermark: EpochNs | null): void {
    const outage = this.#outages.get(symbol);
    if (outage === undefined) {
      this.#noteLoss(symbol, loss, watermark);
      return;
    }
    if (loss.ids !== null) addMissing(outage, loss.ids);
    const isOver = watermark === null || loss.to > watermark;
    const areNamed = isOver && this.close(symbol, loss.to, null);
    // The times of lost trades are unknown, so that only their numbers name them.
    if (loss.ids !== null && !areNamed)
      this.#noteLoss(symbol, loss, later(loss.to, watermark ?? loss.to));
  }

  /** False: the trade is named as missing. */
  admits(symbol: string, ts: EpochNs, id: number, watermark: EpochNs | null): boolean {
    const outage = this.#outages.get(symbol);
    if (outage !== undefined && ts < outage.from && id === outage.firstId) outage.firstId += 1;
    if (outage !== undefined && ts >= outage.from && isNoted(outage, ts, watermark)) {
      const isNew = outage.firstId === null || id >= outage.firstId;
      if (isNew && isOpenAt(this.#hoursOf(symbol), ts)) {
        addMissing(outage, { firstId: id, lastId: id });
        return false;
      }
    }
    return !(this.#closed.get(symbol)?.some((gap) => isInside(gap, ts, id)) ?? false);
  }

  /** Whether `admits` can be false for this contract. */
  hasGaps(symbol: string): boolean {
    return this.#outages.has(symbol) || this.#closed.has(symbol);
  }

  #restore({ symbol, from, reason, firstId }: TapeGap, beganAt: string | null): void {
    const began = beganOf(beganAt, from);
    this.#outages.set(symbol, {
      from: began < from ? began : from,
      reason,
      firstId: began < from ? null : firstId,
      isRestored: true,
      notedTo: from,
      growing: { from, firstId },
      missing: null,
    });
  }

  #grow(symbol: string, outage: Outage, watermark: EpochNs): void {
    const hours = this.#hoursOf(symbol);
    const { reason } = outage;
    for (;;) {
      const { from, firstId } = outage.growing ?? this.#nextPart(symbol, outage);
      if (from >= watermark) return;
      const close = closeAfter(hours, from, watermark);
      const gap = { symbol, from, to: close, firstId, lastId: null, reason };
      if (close === null) {
        if (outage.growing === null) this.#noteGrowing(gap, outage);
        outage.growing = { from, firstId };
        return;
      }
      this.#noteClosed(gap);
      outage.growing = null;
      outage.notedTo = close;
    }
  }

  /** The outage goes on at the next open. */
  #nextPart(symbol: string, { from, firstId, notedTo }: Outage): Pick<TapeGap, 'from' | 'firstId'> {
    const open = openFrom(this.#hoursOf(symbol), notedTo);
    const isFirst = notedTo === from;
    return { from: this.#freeFrom(symbol, open), firstId: isFirst ? firstId : null };
  }

  #noteLoss(symbol: string, loss: Loss, watermark: EpochNs | null): void {
    const { to, ids, reason } = loss;
    // What came now would be stamped with the watermark: the tape has nothing to miss before it.
    const known = loss.from > 0n ? loss.from : beginOf(loss, watermark);
    const start = watermark === null ? known : later(known, watermark);
    const end = later(to, (start + 1n) as EpochNs);
    const open = openStretches(this.#hoursOf(symbol), start, end);
    // Trades that are missing by their numbers are named, whatever the calendar says.
    const stretches = open.length === 0 && ids !== null ? [{ from: start, to: end }] : open;
    if (ids !== null && stretches.length === 1 && this.#extend(symbol, end, ids)) return;
    for (const stretch of stretches) {
      const free = this.#freeFrom(symbol, stretch.from);
      const last = later(stretch.to, (free + 1n) as EpochNs);
      const { firstId, lastId } = ids ?? { firstId: loss.firstId ?? null, lastId: null };
      this.#noteClosed({ symbol, from: free, to: last, firstId, lastId, reason });
    }
  }

  /** Numbers that follow those of the last loss make it longer. */
  #extend(symbol: string, to: EpochNs, { firstId, lastId }: MissingIds): boolean {
    const closed = this.#closedOf(symbol);
    const last = closed.at(-1);
    if (last?.reason !== LOST || last.lastId !== firstId - 1 || last.to === null) return false;
    // The first part of a longer gap would be on a day that may be sealed.
    if (last.firstId === null || dayOf(last.from) !== dayOf(to)) return false;
    const gap = { ...last, to: later(last.to, to), lastId };
    closed[closed.length - 1] = gap;
    this.#notes.push({ kind: 'gap', gap });
    return true;
  }

  #noteGrowing(gap: TapeGap, outage: Outage): void {
    this.#notes.push({ kind: 'gap', gap });
    const text = `${outage.from} ${gap.from}`;
    this.#notes.push({ kind: 'position', key: outageKey(gap.symbol), text });
  }

  #noteClosed(gap: TapeGap): void {
    // A contract's beginning on the tape is no loss.
    if (gap.reason !== START) this.closedTotal += 1;
    this.#closedOf(gap.symbol).push(gap);
    this.#notes.push({ kind: 'gap', gap });
  }

  /** A gap with the beginning of a recorded one would replace it. */
  #freeFrom(symbol: string, from: EpochNs): EpochNs {
    const taken = this.#closed.get(symbol) ?? [];
    let free = from;
    while (taken.some((gap) => gap.from === free)) free = (free + 1n) as EpochNs;
    return free;
  }

  #closedOf(symbol: string): TapeGap[] {
    return this.#closed.getOrInsertComputed(symbol, () => []);
  }
}

/** Whether the gap names this trade as missing: by its number where the numbers are known, otherwise by its time. */
function isInside(gap: TapeGap, ts: EpochNs, id: number): boolean {
  const { from, to, firstId, lastId } = gap;
  if (firstId !== null && lastId !== null) return id >= firstId && id <= lastId;
  if (firstId !== null && id < firstId) return false;
  if (lastId !== null && id > lastId) return false;
  return ts >= from && (to === null || ts < to);
}

/** Numbers name what is missing; without them everything behind the watermark may be. */
function beginOf({ to, ids }: Loss, watermark: EpochNs | null): EpochNs {
  return ids === null ? (watermark ?? epochNs(dayOf(to), 0)) : to;
}

/** The note with the beginning of a contract's outage, whose first part may lie on a day that is sealed. */
function outageKey(symbol: string): string {
  return `outage:${symbol}`;
}

/** Where the outage of the gap that begins at `from` began. The note of an earlier one is left if an offer was cut. */
function beganOf(text: string | null, from: EpochNs): EpochNs {
  const [began, part] = text?.split(' ') ?? [];
  const isOther = part !== undefined && BigInt(part) !== from;
  return began === undefined || isOther ? from : (BigInt(began) as EpochNs);
}

/** A gap may be on the tape before the watermark that has passed its beginning. */
function notedTo({ from }: Pick<TapeGap, 'from'>): EpochNs {
  return (from + 1n) as EpochNs;
}

function isNoted({ growing }: Outage, ts: EpochNs, watermark: EpochNs | null): boolean {
  return (watermark !== null && ts < watermark) || (growing !== null && ts < notedTo(growing));
}

function noteKey(note: TapeNote): string {
  if (note.kind === 'gap') return `gap ${note.gap.symbol} ${note.gap.from}`;
  return note.kind === 'position' ? `position ${note.key}` : `batch ${note.id}`;
}

function addMissing(outage: Outage, { firstId, lastId }: MissingIds): void {
  const { missing } = outage;
  if (missing === null) {
    outage.missing = { firstId, lastId, isWhole: true };
    return;
  }
  if (firstId >= missing.firstId && lastId <= missing.lastId) return;
  const isWhole = missing.isWhole && firstId === missing.lastId + 1;
  outage.missing = {
    firstId: Math.min(missing.firstId, firstId),
    lastId: Math.max(missing.lastId, lastId),
    isWhole,
  };
}
