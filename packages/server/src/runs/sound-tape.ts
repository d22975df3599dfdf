/**
 * A tape as runs see it that may come to damaged days: on it those are not there, like days that are missing. Of
 * partial days it has the trades that are there; no session is whole with them.
 */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { addDays } from '@tapeloom/core/utc-day';
import type { LiveTape, Tape, TapeDay, TapePlace } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { dayOfFile, dayOfImportedFile } from '../tape/tape-paths.ts';
import { type IsOnTape, isWholeDay } from './tape-days.ts';

/** A tape with its promise, or one of sealed days only, which needs none. */
export type CoveredTape = Tape & { readonly promise?: EpochNs | null };

/** A tape of which no more is asked than how far it has come. */
export type GrowingTape = Tape & Pick<LiveTape, 'promise'>;

/** Looks at the files of a damaged day are so far apart, by the tape's time. */
const LOOK_EVERY_NS = SECOND_NS_BIG;

interface Damage {
  /** Of its files, when they were found damaged. */
  readonly version: Promise<string | null>;
  lookedAt: EpochNs | null;
}

/** A day that belongs on the tape and cannot be read. */
export interface DayDamage {
  readonly contract: string;
  readonly day: UtcDay;
  /** What is wrong with it; null: it is not there. */
  readonly error: unknown;
}

/**
 * Days that turned out to be damaged, though their index is sound. Each is told until it is replaced, or until its
 * files are others than those that were damaged: then it is tried again. Whatever is found to be damaged or gone, by
 * reading or in the list of days, is reported once, until the day is there again.
 */
export class DamagedDays {
  readonly #tape: CoveredTape | null;
  readonly #onFound: (damage: DayDamage) => void;
  readonly #days = new Map<string, Map<UtcDay, Damage>>();
  /** Found here, by contract and day. */
  readonly #reported = new Set<string>();

  /** Without a tape nothing is looked at again. */
  constructor(
    tape: CoveredTape | null = null,
    onFound: (damage: DayDamage) => void = () => undefined,
  ) {
    this.#tape = tape;
    this.#onFound = onFound;
  }

  /** A read has failed on this day. */
  found(contract: string, day: UtcDay, error: unknown): void {
    this.add(contract, day);
    this.#report({ contract, day, error });
  }

  /** The list of days says so; nothing of it need be looked at again. */
  listed(contract: string, { day, state, damage }: TapeDay): void {
    if (state === 'damaged') this.#report({ contract, day, error: damage ?? null });
    else if (!this.has(contract, day)) this.#reported.delete(`${contract} ${day}`);
  }

  /** Somebody else has found it. */
  add(contract: string, day: UtcDay): void {
    const days = this.#days.getOrInsertComputed(contract, () => new Map());
    if (days.has(day)) return;
    days.set(day, { version: this.#look(contract, day), lookedAt: this.#tape?.promise ?? null });
  }

  /** This day was replaced, or all those of the contract may have been. */
  forget(contract: string, day?: UtcDay): void {
    if (day === undefined) this.#days.delete(contract);
    else this.#days.get(contract)?.delete(day);
  }

  /** Those of a contract that are still damaged. */
  async still(contract: string): Promise<readonly UtcDay[]> {
    const days: UtcDay[] = [];
    for (const day of [...(this.#days.get(contract)?.keys() ?? [])]) {
      if (await this.isStill(contract, day)) days.push(day);
    }
    return days.sort((a, b) => a - b);
  }

  /** As far as is known without a look. */
  has(contract: string, day: UtcDay): boolean {
    return this.#days.get(contract)?.has(day) ?? false;
  }

  /** Whether a day is damaged, and its files have not been put back since. */
  async isStill(contract: string, day: UtcDay): Promise<boolean> {
    const damage = this.#days.get(contract)?.get(day);
    if (damage === undefined) return false;
    const now = this.#tape?.promise ?? null;
    const { lookedAt } = damage;
    if (now !== null && lookedAt !== null && now < lookedAt + LOOK_EVERY_NS) return true;
    damage.lookedAt = now;
    const [before, after] = [await damage.version, await this.#look(contract, day)];
    if (before === after || before === null || after === null) return true;
    if (this.#days.get(contract)?.get(day) === damage) this.forget(contract, day);
    return this.has(contract, day);
  }

  #report(damage: DayDamage): void {
    const key = `${damage.contract} ${damage.day}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#onFound(damage);
  }

  /** Null when that cannot be told. */
  async #look(contract: string, day: UtcDay): Promise<string | null> {
    try {
      return (await this.#tape?.filesVersion?.(contract, day)) ?? null;
    } catch {
      return null;
    }
  }
}

/** What there is of a contract at one moment. */
export interface TapeNow {
  readonly promise: EpochNs | null;
  /** The days that can be read, whole or not. */
  readonly onTape: ReadonlyMap<UtcDay, TapeDay>;
  /** Those that are not. */
  readonly damagedDays: readonly UtcDay[];
  /** Those and the ones whose files are gone, ascending: nothing of them is read. */
  readonly unreadable: readonly UtcDay[];
}

export async function tapeNow(
  tape: CoveredTape,
  contract: string,
  damaged: DamagedDays,
): Promise<TapeNow> {
  // Taken before the days: whatever the promise has reached, they have.
  const promise = tape.promise ?? null;
  const onTape = new Map<UtcDay, TapeDay>();
  const damagedDays: UtcDay[] = [];
  const unreadable: UtcDay[] = [];
  for (const day of await tape.days(contract)) {
    damaged.listed(contract, day);
    const isKnown = damaged.has(contract, day.day) && (await damaged.isStill(contract, day.day));
    if (day.state !== 'damaged' && !isKnown) {
      onTape.set(day.day, day);
      continue;
    }
    unreadable.push(day.day);
    if (day.isGone !== true) damagedDays.push(day.day);
  }
  return { promise, onTape, damagedDays, unreadable };
}

/** Whether a day is there at a moment, and whole. */
export function wholeOn({ onTape }: Pick<TapeNow, 'onTape'>): IsOnTape {
  return (day) => {
    const found = onTape.get(day);
    return found !== undefined && isWholeDay(found);
  };
}

/** What a day that never grows again is made of: other trades, or other gaps, another text. Null while it grows. */
export function sealedText({ digest, version }: TapeDay): string | null {
  return version ?? digest ?? null;
}

/** The sealed day that was found to be damaged; null when the error is another one. */
export function damagedDay(error: unknown): UtcDay | null {
  if (!(error instanceof TapeDamagedError)) return null;
  const name = error.file.slice(error.file.lastIndexOf('/') + 1);
  return dayOfFile(name, 'arrow') ?? dayOfFile(name, 'json') ?? dayOfImportedFile(name);
}

/**
 * A tape without the days that are damaged, also those that are found to be so later, and without others
 * that are not to be seen.
 */
export function soundTape(
  tape: Tape,
  damaged: DamagedDays,
  isHidden: (symbol: string, day: UtcDay) => boolean = () => false,
): Tape {
  const now = async (symbol: string) => {
    const { unreadable, onTape } = await tapeNow(tape, symbol, damaged);
    const hidden = [...onTape.keys()].filter((day) => isHidden(symbol, day));
    return withoutDays(
      tape,
      [...unreadable, ...hidden].sort((a, b) => a - b),
    );
  };
  return {
    days: async (symbol) => (await now(symbol)).days(symbol),
    async *read(symbol, ...where) {
      yield* (await now(symbol)).read(symbol, ...where);
    },
    rankBefore: async (symbol, ...place) => (await now(symbol)).rankBefore(symbol, ...place),
  };
}

/** Which days of [first, day) are there, told so that others cannot be taken for them. */
export function daysBefore(onTape: TapeNow['onTape'], first: UtcDay, day: UtcDay): string {
  const days: string[] = [];
  for (let one = first; one < day; one = addDays(one, 1)) {
    const found = onTape.get(one);
    if (found !== undefined) days.push(dayText(found));
  }
  return days.join();
}

/** The days of [first, last] that can be replaced, and what they are made of. */
export function replaceableDays(onTape: TapeNow['onTape'], first: UtcDay, last: UtcDay): string {
  const days = [...onTape.values()].filter(({ day, version }) => {
    return version !== undefined && day >= first && day <= last;
  });
  return days.map(dayText).join();
}

function dayText(day: TapeDay): string {
  const count = `${day.day} ${day.trades}`;
  return day.version === undefined ? count : `${count} ${day.version}`;
}

/** The tape of one contract without some days, ascending; it grows as that does. */
export function withoutDays(tape: GrowingTape, days: readonly UtcDay[]): GrowingTape;
export function withoutDays(tape: Tape, days: readonly UtcDay[]): Tape;
export function withoutDays(tape: CoveredTape, days: readonly UtcDay[]): Tape {
  return days.length === 0 ? tape : new SoundTape(tape, days);
}

class SoundTape implements GrowingTape {
  readonly #tape: CoveredTape;
  readonly #leftOut: readonly UtcDay[];

  constructor(tape: CoveredTape, leftOut: readonly UtcDay[]) {
    this.#tape = tape;
    this.#leftOut = leftOut;
  }

  get promise(): EpochNs | null {
    return this.#tape.promise ?? null;
  }

  async days(symbol: string): Promise<readonly TapeDay[]> {
    return (await this.#tape.days(symbol)).filter(({ day }) => !this.#leftOut.includes(day));
  }

  async *read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncGenerator<TradeBatch> {
    let start = from;
    for (const day of this.#leftOut) {
      if (day < start.day || (to !== undefined && day > to.day)) continue;
      const before = { day, rank: 0 as Rank };
      if (start.day < day) yield* this.#tape.read(symbol, start, before, isLent);
      start = { day: addDays(day, 1), rank: 0 as Rank };
    }
    if (to === undefined || start.day <= to.day) {
      yield* this.#tape.read(symbol, start, to, isLent);
    }
  }

  async rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    if (this.#leftOut.includes(day)) return 0 as Rank;
    return await this.#tape.rankBefore(symbol, day, ns);
  }
}
