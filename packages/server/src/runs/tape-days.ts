/**
 * The days of one contract that are on the tape, as far as runs over it have come: they decide whether a
 * session is complete. Days that the tape passed over are not on it, those it has are on it whole, but for
 * partial ones, with which no session is. So a day
 * is decided as soon as the tape has come to it, and it is looked up (`learn`) before a run comes to it: a run
 * that has been going on for weeks then judges as one that begins. Should a day that was passed over be sealed
 * later, the tape is looked at again, and runs that it matters to end.
 */

import type { Session } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { Tape, TapeDay } from '../tape/tape.ts';

/** Whether a day of a contract is on the tape, and whole. */
export type IsOnTape = (day: UtcDay) => boolean;

interface FoundDays {
  /** That can be read. */
  readonly onTape: ReadonlySet<UtcDay>;
  /** Of those, the ones of which nothing is missing. */
  readonly whole: ReadonlySet<UtcDay>;
  /** Of those that can be replaced, what they are made of. */
  readonly versions: ReadonlyMap<UtcDay, string>;
}

export class TapeDays {
  readonly #tape: Tape;
  readonly #contract: string;
  #found: FoundDays = { onTape: new Set(), whole: new Set(), versions: new Map() };
  /** All days up to this one are decided, and known. */
  #last = 0 as UtcDay;

  constructor(tape: Tape, contract: string) {
    this.#tape = tape;
    this.#contract = contract;
  }

  /** Whether a run may come to `day`. */
  isKnown(day: UtcDay): boolean {
    return day <= this.#last;
  }

  /** Whether the tape passed over a day, so that it is not on it, whatever was sealed since. */
  isPassedOver(day: UtcDay): boolean {
    return this.isKnown(day) && !this.#found.onTape.has(day);
  }

  /** The tape has come to `day`: looks up which days it has. */
  async learn(day: UtcDay): Promise<void> {
    if (!this.isKnown(day)) this.note(day, await this.#tape.days(this.#contract));
  }

  /** The same by somebody who has looked when the tape had come there. */
  note(day: UtcDay, looked: Iterable<TapeDay>): void {
    // Another run may have come further meanwhile.
    if (this.isKnown(day)) return;
    const days = foundDays(looked);
    // What was found meanwhile is not forgotten.
    const { onTape, whole, versions } = this.#found;
    this.#found = {
      onTape: onTape.union(days.onTape),
      whole: whole.union(days.whole),
      versions: new Map([...days.versions, ...versions]),
    };
    this.#last = day;
  }

  /**
   * Days were sealed that the tape had passed over, replaced, or found to be damaged: looks again, and learns when
   * told. Where the tape is about to become another one, that is looked at.
   */
  async lookAgain(tapeToCome: Tape | null = null): Promise<() => void> {
    const days = foundDays(await (tapeToCome ?? this.#tape).days(this.#contract));
    return () => {
      this.#found = days;
    };
  }

  /** Known days that are on the tape by now, or are not, or not whole, other than was learned. */
  async changed(): Promise<readonly UtcDay[]> {
    const before = this.#found;
    const now = foundDays(await this.#tape.days(this.#contract));
    // Who has learned something meanwhile has looked himself.
    if (before !== this.#found) return [];
    const onTape = before.onTape.symmetricDifference(now.onTape);
    const changed = onTape.union(before.whole.symmetricDifference(now.whole));
    return [...changed].filter((day) => this.isKnown(day));
  }

  /** Whether a session is whole so far: up to and with this day, or its end, all its days are on the tape. */
  isWholeUpTo(session: Session, day: UtcDay): boolean {
    return this.dataSince(session, day) === session.open;
  }

  /** Tells what the days from one on are made of, those that can be replaced. */
  versionsFrom(first: UtcDay): string {
    const told: string[] = [];
    for (const [day, version] of this.#found.versions) {
      if (day >= first) told.push(`${day} ${version}`);
    }
    return told.sort().join();
  }

  /** Whether all days of a session that has ended are on the tape. */
  isComplete(session: Session): boolean {
    return this.isWholeUpTo(session, lastDayBefore(session.close));
  }

  /** From when on all of a session, up to and with the day `last`, is on the tape. */
  dataSince(session: Session, last: UtcDay): EpochNs {
    if (!this.isKnown(last)) throw new Error(`${this.#contract} ${last} was not looked up`);
    return dataSince(session, last, (day) => this.#found.whole.has(day));
  }
}

function foundDays(days: Iterable<TapeDay>): FoundDays {
  const sound = [...days].filter(({ state }) => state !== 'damaged');
  const versions = sound.flatMap(({ day, version }) =>
    version === undefined ? [] : [[day, version] as const],
  );
  return {
    onTape: daysOf(sound),
    whole: daysOf(sound.filter(isWholeDay)),
    versions: new Map(versions),
  };
}

function daysOf(days: readonly TapeDay[]): ReadonlySet<UtcDay> {
  return new Set(days.map(({ day }) => day));
}

/** Whether all of a day is there, as far as the tape has come. */
export function isWholeDay({ state }: TapeDay): boolean {
  return state === 'sealed' || state === 'open';
}

/**
 * Whether a session is whole so far: from its open up to and with the day `last`, or to its close if that comes
 * before, all its days are on the tape. The one notion of it, for what streams and the past are made of.
 */
export function isWholeUpTo(session: Session, last: UtcDay, isOnTape: IsOnTape): boolean {
  return dataSince(session, last, isOnTape) === session.open;
}

/**
 * From when on all of a session, up to and with the day `last`, is on the tape: its open when it is whole so
 * far, else the midnight after the last of its days that is missing.
 */
export function dataSince({ open, close }: Session, last: UtcDay, isOnTape: IsOnTape): EpochNs {
  const end = lastDayBefore(close);
  const first = dayOf(open);
  for (let day = last < end ? last : end; day >= first; day = addDays(day, -1)) {
    if (!isOnTape(day)) return epochNs(addDays(day, 1), 0);
  }
  return open;
}

/** Whether all of a session that has ended is on the tape. */
export function isCompleteOn(session: Session, isOnTape: IsOnTape): boolean {
  return isWholeUpTo(session, lastDayBefore(session.close), isOnTape);
}

/** The day that a run which comes to position(instant) has to know. */
export function lastDayBefore(instant: EpochNs): UtcDay {
  return dayOf((instant - 1n) as EpochNs);
}
