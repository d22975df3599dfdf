/**
 * The days of one contract on the tape, as far as its runs have come; they decide whether a session is complete. Days
 * that the tape passed over are missing. All others are whole, except for their gaps. Each day is looked up (`learn`)
 * before a run reaches it and is then fixed, so a run of many weeks decides as a new one does. Only gaps of the open
 * day are added, before a run passes their start. If a missing day is sealed later, the tape is read again and affected
 * runs end.
 */

import type { Session } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { epochNs, later } from '@tapeloom/core/utc-day';
import type { DaySpan, Tape, TapeDay } from '../tape/tape.ts';
import type { TapeGap } from '../tape/tape-gap.ts';
import {
  dataSince,
  gapsText,
  isCompleteOn,
  isWholeUpTo,
  lastDayBefore,
  type MissingOn,
  type MissingTimes,
  missingOf,
} from './missing-times.ts';

interface FoundDay {
  readonly missing: MissingTimes;
  /** Whether gaps may be added. */
  readonly isOpen: boolean;
  /** The content of a replaceable day; null for others. */
  readonly version: string | null;
}

type FoundDays = ReadonlyMap<UtcDay, FoundDay>;

/** Where runs are, as far as `TapeDays` has let them. */
interface Reached {
  readonly day: UtcDay;
  readonly instant: EpochNs;
}

export class TapeDays {
  readonly #tape: Tape;
  readonly #contract: string;
  readonly #watermark: () => EpochNs | null;
  #found: FoundDays = new Map();
  /** All days up to this one are looked up and fixed. */
  #last = 0 as UtcDay;
  /** How far runs have come: a gap that starts earlier would change what they computed. */
  #passed = 0n as EpochNs;
  /** The instant up to which gaps are known, while there may be more; null: commits tell of every further gap. */
  #gapsKnownTo: EpochNs | null = null;
  /** Counts the reasons to look days up again. */
  #news = 0;
  /** Whether the last commit that told of a gap left it growing. */
  #isGrowing = false;

  /** `watermark`: that of a tape that grows while runs use these days. */
  constructor(tape: Tape, contract: string, watermark: () => EpochNs | null = () => null) {
    this.#tape = tape;
    this.#contract = contract;
    this.#watermark = watermark;
  }

  /** Whether `day` was looked up. */
  isKnown(day: UtcDay): boolean {
    return day <= this.#last;
  }

  /** Whether the tape passed over a day: it then stays absent, whatever was sealed since. */
  isPassedOver(day: UtcDay): boolean {
    return this.isKnown(day) && !this.#found.has(day);
  }

  /** A run goes to position(instant), which the tape has reached; false: it must call `learn` first. */
  enter(instant: EpochNs): boolean {
    return this.#enter({ day: lastDayBefore(instant), instant });
  }

  /** Looks up the days and gaps that a run needs before it goes to position(instant), which the tape has reached. */
  async learn(instant: EpochNs): Promise<void> {
    await this.#learn({ day: lastDayBefore(instant), instant });
  }

  /** The same for a run that takes these trades, read from the tape before. */
  async learnFor({ day, ts, count }: TradeBatch): Promise<void> {
    const instant = epochNs(day, count === 0 ? 0 : ts[count - 1]!);
    await this.#learn({ day, instant });
  }

  /** Like `learn`, with days that the caller has read since the tape reached `instant`. */
  note(instant: EpochNs, looked: Iterable<TapeDay>): void {
    this.#note(lastDayBefore(instant), looked);
  }

  /** A commit recorded a gap or ended one: days are looked up again before a run goes on. */
  noteGap({ to }: Pick<TapeGap, 'to'>): void {
    this.#isGrowing = to === null;
    this.#lookAgainNext();
  }

  /**
   * After a passed-over day was sealed, or a day was replaced or found damaged: reads the days again. The returned
   * function applies them. Reads `tapeToCome` if the tape is about to be replaced by it.
   */
  async lookAgain(tapeToCome: Tape | null = null): Promise<() => void> {
    const days = foundDays(await (tapeToCome ?? this.#tape).days(this.#contract));
    return () => {
      this.#found = days;
      // A gap that was recorded since this read is looked up like one to come.
      this.#lookAgainNext();
    };
  }

  /** Known days whose presence or missing times on the tape differ from what was learned, as far as runs have come. */
  async changed(): Promise<readonly UtcDay[]> {
    const before = this.#found;
    const now = foundDays(await this.#tape.days(this.#contract));
    // Days learned meanwhile are newer than this read.
    if (before !== this.#found) return [];
    const text = (found: FoundDays, day: UtcDay) => {
      const missing = found.get(day)?.missing;
      return missing === 'all' ? missing : missing && gapsText([[day, missing]], this.#passed);
    };
    const days = new Set([...before.keys(), ...now.keys()]);
    return [...days].filter((day) => this.isKnown(day) && text(before, day) !== text(now, day));
  }

  /** See `isWholeUpTo` of `missing-times.ts`. */
  isWholeUpTo(session: Session, day: UtcDay, ns: number): boolean {
    this.#requireKnown(day);
    return isWholeUpTo(session, day, ns, this.#missingOn);
  }

  isComplete(session: Session): boolean {
    this.#requireKnown(lastDayBefore(session.close));
    return isCompleteOn(session, this.#missingOn);
  }

  /** Since when a session is on the tape without a gap, as seen at position(reached). */
  dataSince(session: Session, reached: EpochNs): EpochNs {
    this.#requireKnown(lastDayBefore(reached));
    return dataSince(session, reached, this.#missingOn);
  }

  /** Identifies the content of the replaceable days from `first` on, and the gaps from there to `reached`. */
  contentFrom(first: UtcDay, reached: EpochNs): string {
    const told: string[] = [];
    const missing: [UtcDay, MissingTimes][] = [];
    for (const [day, found] of this.#found) {
      if (day < first) continue;
      if (found.version !== null) told.push(`${day} ${found.version}`);
      missing.push([day, found.missing]);
    }
    return `${told.sort().join()} ${gapsText(missing, reached)}`;
  }

  #lookAgainNext(): void {
    this.#news += 1;
    this.#gapsKnownTo = 0n as EpochNs;
  }

  async #learn(reached: Reached): Promise<void> {
    while (!this.#enter(reached)) {
      const news = this.#news;
      // Must be read before the days: they then contain all gaps up to this watermark.
      const watermark = this.#watermark();
      const looked = await this.#tape.days(this.#contract);
      const mayGrow = watermark !== null && (this.#isGrowing || reachesTo(looked, watermark));
      this.#note(reached.day, looked);
      if (news !== this.#news) continue;
      this.#gapsKnownTo = mayGrow ? later(watermark, reached.instant) : null;
    }
  }

  #enter({ day, instant }: Reached): boolean {
    if (!this.isKnown(day)) return false;
    if (this.#gapsKnownTo !== null && instant > this.#gapsKnownTo) return false;
    this.#passed = later(this.#passed, instant);
    return true;
  }

  #note(day: UtcDay, looked: Iterable<TapeDay>): void {
    const days = new Map(this.#found);
    for (const one of looked) {
      const known = days.get(one.day);
      const found = foundDay(one);
      if (known === undefined) {
        // A day that the tape passed over stays absent.
        if (found !== null && !this.isKnown(one.day)) days.set(one.day, found);
      } else if (known.isOpen && found !== null && one.origin === undefined) {
        days.set(one.day, { ...found, missing: this.#grown(one.day, known, found) });
      }
    }
    this.#found = days;
    if (day > this.#last) this.#last = day;
  }

  /** The missing times of a live day as they are now; what would change the past is left to `changed`. */
  #grown(day: UtcDay, known: FoundDay, found: FoundDay): MissingTimes {
    if (known.missing === 'all' || found.missing === 'all') return known.missing;
    const grown = new Map(known.missing);
    for (const [from, to] of found.missing) {
      const before = grown.get(from);
      if (before !== undefined) grown.set(from, later(before, to));
      else if (epochNs(day, from) >= this.#passed) grown.set(from, to);
    }
    return [...grown].sort(([a], [b]) => a - b);
  }

  readonly #missingOn: MissingOn = (day) => this.#found.get(day)?.missing ?? 'all';

  #requireKnown(day: UtcDay): void {
    if (!this.isKnown(day)) throw new Error(`${this.#contract} ${day} was not looked up`);
  }
}

function foundDays(days: Iterable<TapeDay>): FoundDays {
  const found = new Map<UtcDay, FoundDay>();
  for (const day of days) {
    const one = foundDay(day);
    if (one !== null) found.set(day.day, one);
  }
  return found;
}

/** Null for a damaged day. */
function foundDay(day: TapeDay): FoundDay | null {
  if (day.state === 'damaged') return null;
  const isOpen = day.state === 'open';
  return { missing: missingOf(day), isOpen, version: day.version ?? null };
}

/** Whether a gap of the open day lasts until the watermark, so that it may be growing. */
function reachesTo(days: readonly TapeDay[], watermark: EpochNs): boolean {
  const open = days.findLast(({ state }) => state === 'open');
  const last: DaySpan | undefined = open?.gaps?.at(-1);
  return last !== undefined && epochNs(open!.day, last[1]) >= watermark;
}
