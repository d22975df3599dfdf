/**
 * The days of one contract on the tape, as far as its runs have come; they decide whether a session is complete. Days
 * that the tape passed over are missing. All others are whole, except partial ones, which make their session
 * incomplete. Each day is looked up (`learn`) before a run reaches it and is then fixed, so a run of many weeks decides
 * as a new one does. If a missing day is sealed later, the tape is read again and affected runs end.
 */

import type { Session } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { Tape, TapeDay } from '../tape/tape.ts';

/** Whether a day of a contract is whole on the tape. */
export type IsOnTape = (day: UtcDay) => boolean;

interface FoundDays {
  readonly onTape: ReadonlySet<UtcDay>;
  readonly whole: ReadonlySet<UtcDay>;
  /** The content of the replaceable days. */
  readonly versions: ReadonlyMap<UtcDay, string>;
}

export class TapeDays {
  readonly #tape: Tape;
  readonly #contract: string;
  #found: FoundDays = { onTape: new Set(), whole: new Set(), versions: new Map() };
  /** All days up to this one are looked up and fixed. */
  #last = 0 as UtcDay;

  constructor(tape: Tape, contract: string) {
    this.#tape = tape;
    this.#contract = contract;
  }

  /** Whether a run may enter `day`. */
  isKnown(day: UtcDay): boolean {
    return day <= this.#last;
  }

  /** Whether the tape passed over a day: it then stays absent, whatever was sealed since. */
  isPassedOver(day: UtcDay): boolean {
    return this.isKnown(day) && !this.#found.onTape.has(day);
  }

  /** The tape has reached `day`: looks up which days it has. */
  async learn(day: UtcDay): Promise<void> {
    if (!this.isKnown(day)) this.note(day, await this.#tape.days(this.#contract));
  }

  /** Like `learn`, with days that the caller has read since the tape reached `day`. */
  note(day: UtcDay, looked: Iterable<TapeDay>): void {
    // Another run may be further already.
    if (this.isKnown(day)) return;
    const days = foundDays(looked);
    // Days found earlier are kept.
    const { onTape, whole, versions } = this.#found;
    this.#found = {
      onTape: onTape.union(days.onTape),
      whole: whole.union(days.whole),
      versions: new Map([...days.versions, ...versions]),
    };
    this.#last = day;
  }

  /**
   * After a passed-over day was sealed, or a day was replaced or found damaged: reads the days again. The returned
   * function applies them. Reads `tapeToCome` if the tape is about to be replaced by it.
   */
  async lookAgain(tapeToCome: Tape | null = null): Promise<() => void> {
    const days = foundDays(await (tapeToCome ?? this.#tape).days(this.#contract));
    return () => {
      this.#found = days;
    };
  }

  /** Known days whose presence or completeness on the tape differs from what was learned. */
  async changed(): Promise<readonly UtcDay[]> {
    const before = this.#found;
    const now = foundDays(await this.#tape.days(this.#contract));
    // Days learned meanwhile are newer than this read.
    if (before !== this.#found) return [];
    const onTape = before.onTape.symmetricDifference(now.onTape);
    const changed = onTape.union(before.whole.symmetricDifference(now.whole));
    return [...changed].filter((day) => this.isKnown(day));
  }

  /** Whether all days of a session are on the tape, up to and including `day` or the session's end. */
  isWholeUpTo(session: Session, day: UtcDay): boolean {
    return this.dataSince(session, day) === session.open;
  }

  /** Identifies the content of the replaceable days from `first` on. */
  versionsFrom(first: UtcDay): string {
    const told: string[] = [];
    for (const [day, version] of this.#found.versions) {
      if (day >= first) told.push(`${day} ${version}`);
    }
    return told.sort().join();
  }

  isComplete(session: Session): boolean {
    return this.isWholeUpTo(session, lastDayBefore(session.close));
  }

  /** Since when a session is on the tape without a gap, up to and including the day `last`. */
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

/** Whether a day is whole, as far as the tape has come. */
export function isWholeDay({ state }: TapeDay): boolean {
  return state === 'sealed' || state === 'open';
}

/**
 * Whether a session is whole so far: all its days are on the tape from its open to the day `last`, or to its close if
 * that is earlier. The one definition of this, for streams and history.
 */
export function isWholeUpTo(session: Session, last: UtcDay, isOnTape: IsOnTape): boolean {
  return dataSince(session, last, isOnTape) === session.open;
}

/**
 * Since when a session is on the tape without a gap, up to and including the day `last`: its open if it is whole so
 * far, else the midnight after its last missing day.
 */
export function dataSince({ open, close }: Session, last: UtcDay, isOnTape: IsOnTape): EpochNs {
  const end = lastDayBefore(close);
  const first = dayOf(open);
  for (let day = last < end ? last : end; day >= first; day = addDays(day, -1)) {
    if (!isOnTape(day)) return epochNs(addDays(day, 1), 0);
  }
  return open;
}

export function isCompleteOn(session: Session, isOnTape: IsOnTape): boolean {
  return isWholeUpTo(session, lastDayBefore(session.close), isOnTape);
}

/** The last day that a run must know before it reaches position(instant). */
export function lastDayBefore(instant: EpochNs): UtcDay {
  return dayOf((instant - 1n) as EpochNs);
}
