/** The trades of one member, read from its tape behind the position that the composite's tape has. */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { DaySpan, TapePlace } from '../../tape/tape.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';
import type { CompositeMember } from '../instruments/instruments-file.ts';
import { type OpenHours, openStretches } from '../live/watermark/open-hours.ts';
import type { MissingOfMember } from './member-gaps.ts';
import type { MemberTape } from './member-tape.ts';
import type { RowQueue } from './merge-rows.ts';

export interface MemberTradesOptions {
  /** The symbol of the composite. */
  readonly symbol: string;
  readonly member: CompositeMember;
  readonly tape: MemberTape;
  readonly position: (key: string) => string | null;
  /** The composite's watermark: earlier trades are not wanted. */
  readonly from: EpochNs;
}

export class MemberTrades implements RowQueue {
  readonly member: CompositeMember;
  readonly ticks: number;
  readonly lots: number;
  batch: TradeBatch | null = null;
  row = 0;
  isDrained = false;
  readonly #tape: MemberTape;
  readonly #key: string;
  /** Behind the rows of the last batch. */
  #place: TapePlace;
  #noted: string;
  #reading: AsyncIterator<TradeBatch> | null = null;
  #isStale = false;
  /** Of sealed days, which do not change. */
  readonly #sealedGaps = new Map<UtcDay, readonly DaySpan[]>();

  constructor({ symbol, member, tape, position, from }: MemberTradesOptions) {
    this.member = member;
    this.ticks = member.ticks;
    this.lots = member.lots;
    this.#tape = tape;
    this.#key = `at:${member.symbol} ${symbol}`;
    this.#noted = position(this.#key) ?? '';
    const [day, rank] = this.#noted.split(' ').map(Number);
    this.#place =
      rank === undefined
        ? { day: dayOf(from), rank: 0 as Rank }
        : { day: day as UtcDay, rank: rank as Rank };
  }

  /** Whether the tape already says from where on it is a member. */
  get isKnown(): boolean {
    return this.#noted !== '';
  }

  /** The member's tape may have grown. */
  lookAgain(): void {
    // A read that was begun earlier ends where the tape ended then.
    this.#isStale = this.#reading !== null;
    if (!this.isDrained) return;
    const newest = this.#tape.liveColumns(this.member.symbol).at(-1);
    const { day, rank } = this.#place;
    const isAtEnd = newest !== undefined && newest.day === day && newest.count <= rank;
    this.isDrained = isAtEnd;
  }

  /** Reads the next batch, behind one that is used up. */
  async fill(): Promise<void> {
    this.#reading ??= this.#tape.read(this.member.symbol, this.#place)[Symbol.asyncIterator]();
    const { done, value } = await this.#reading.next();
    if (done === true) {
      this.#reading = null;
      this.isDrained = !this.#isStale;
      this.#isStale = false;
      return;
    }
    this.batch = value;
    this.row = 0;
    this.#place = { day: value.day, rank: (value.firstRank + value.count - 1) as Rank };
  }

  async close(): Promise<void> {
    await this.#reading?.return?.();
  }

  /** The position, if it has changed since the last call. */
  takeNotes(): readonly TapeNote[] {
    const text = this.#position;
    if (text === this.#noted) return [];
    this.#noted = text;
    return [{ kind: 'position', key: this.#key, text }];
  }

  /** What the member's tape lacks of [from, to), which lies on one day. */
  async gaps(from: EpochNs, to: EpochNs): Promise<readonly MissingOfMember[]> {
    const day = dayOf(from);
    const midnight = epochNs(day, 0);
    const spans = await this.#spans(day);
    return spans
      .map(([begin, end]) => ({
        from: (midnight + BigInt(begin)) as EpochNs,
        to: (midnight + BigInt(end)) as EpochNs,
        why: 'gap',
      }))
      .filter((gap) => gap.from < to && gap.to > from);
  }

  get #position(): string {
    const { batch, row } = this;
    const { day, rank } = this.#place;
    if (batch === null) return `${day} ${rank}`;
    return `${batch.day} ${batch.firstRank + row - 1}`;
  }

  async #spans(day: UtcDay): Promise<readonly DaySpan[]> {
    const { symbol } = this.member;
    const promise = this.#tape.promise;
    const isOver = promise !== null && promise >= epochNs(addDays(day, 1), 0);
    const isInMemory = this.#tape.liveColumns(symbol).some((one) => one.day === day);
    if (isInMemory || !isOver) return this.#tape.liveGaps(symbol, day);
    const known = this.#sealedGaps.get(day);
    if (known !== undefined) return known;
    const found = (await this.#tape.days(symbol)).find((one) => one.day === day);
    const gaps = found?.state === 'damaged' ? [[0, DAY_NS] as const] : (found?.gaps ?? []);
    this.#sealedGaps.set(day, gaps);
    return gaps;
  }
}

/** The time within [from, to) at which a member that is left out could have traded. */
export function leftOutStretches(
  { expiresAt }: CompositeMember,
  hours: OpenHours,
  from: EpochNs,
  to: EpochNs,
): readonly MissingOfMember[] {
  const end = to < expiresAt ? to : expiresAt;
  if (from >= end) return [];
  return openStretches(hours, from, end).map((stretch) => ({ ...stretch, why: 'left out' }));
}
