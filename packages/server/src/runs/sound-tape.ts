/**
 * The tape as runs see it: damaged days count as missing. Days with gaps provide their trades, but no session is whole
 * with a gap.
 */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import { addDays } from '@tapeloom/core/utc-day';
import type { LiveTape, Tape, TapeDay, TapePlace } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { dayOfFile, dayOfImportedFile } from '../tape/tape-paths.ts';
import { hasLiveGaps, type MissingOn, missingOf } from './missing-times.ts';

/** A live tape with its watermarks (`promise`), or sealed days only, which need none. */
export type CoveredTape = Tape & Partial<Pick<LiveTape, 'promiseOf'>>;

export type GrowingTape = Tape & Pick<LiveTape, 'promiseOf'>;

/** The interval, in the tape's time, between checks of a damaged day's files. */
const LOOK_EVERY_NS = SECOND_NS_BIG;

interface Damage {
  /** The version of its files when the damage was found. */
  readonly version: Promise<string | null>;
  lookedAt: EpochNs | null;
}

export interface DayDamage {
  readonly contract: string;
  readonly day: UtcDay;
  /** Null: the day is missing. */
  readonly error: unknown;
}

/**
 * Days found damaged although their index is sound. A day counts as damaged until it is replaced, or until its files
 * have changed; then it is read again. Each damaged or missing day, found by reading or in the list of days, is
 * reported once until it is there again.
 */
export class DamagedDays {
  readonly #tape: CoveredTape | null;
  readonly #onFound: (damage: DayDamage) => void;
  readonly #days = new Map<string, Map<UtcDay, Damage>>();
  /** Found in this thread, by contract and day. */
  readonly #reported = new Set<string>();

  /** Without a tape, files are not checked again. */
  constructor(
    tape: CoveredTape | null = null,
    onFound: (damage: DayDamage) => void = () => undefined,
  ) {
    this.#tape = tape;
    this.#onFound = onFound;
  }

  found(contract: string, day: UtcDay, error: unknown): void {
    this.add(contract, day);
    this.#report({ contract, day, error });
  }

  /** Takes the state in the list of days; such a day needs no further check. */
  listed(contract: string, { day, state, damage }: TapeDay): void {
    if (state === 'damaged') this.#report({ contract, day, error: damage ?? null });
    else if (!this.has(contract, day)) this.#reported.delete(`${contract} ${day}`);
  }

  /** Another thread has found it. */
  add(contract: string, day: UtcDay): void {
    const days = this.#days.getOrInsertComputed(contract, () => new Map());
    if (days.has(day)) return;
    days.set(day, { version: this.#look(contract, day), lookedAt: this.#now(contract) });
  }

  /** This day was replaced, or, without a day, any day of the contract may have been. */
  forget(contract: string, day?: UtcDay): void {
    if (day === undefined) this.#days.delete(contract);
    else this.#days.get(contract)?.delete(day);
  }

  async still(contract: string): Promise<readonly UtcDay[]> {
    const days: UtcDay[] = [];
    for (const day of [...(this.#days.get(contract)?.keys() ?? [])]) {
      if (await this.isStill(contract, day)) days.push(day);
    }
    return days.sort((a, b) => a - b);
  }

  /** As known without checking files. */
  has(contract: string, day: UtcDay): boolean {
    return this.#days.get(contract)?.has(day) ?? false;
  }

  /** Whether a day is damaged and its files have not changed since. */
  async isStill(contract: string, day: UtcDay): Promise<boolean> {
    const damage = this.#days.get(contract)?.get(day);
    if (damage === undefined) return false;
    const now = this.#now(contract);
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

  #now(contract: string): EpochNs | null {
    return this.#tape?.promiseOf?.(contract) ?? null;
  }

  /** Null if the version is unknown. */
  async #look(contract: string, day: UtcDay): Promise<string | null> {
    try {
      return (await this.#tape?.filesVersion?.(contract, day)) ?? null;
    } catch {
      return null;
    }
  }
}

export interface TapeNow {
  readonly promise: EpochNs | null;
  /** The readable days, whole or partial. */
  readonly onTape: ReadonlyMap<UtcDay, TapeDay>;
  readonly damagedDays: readonly UtcDay[];
  /** Damaged days and those whose files are missing, ascending: none of them is read. */
  readonly unreadable: readonly UtcDay[];
}

export async function tapeNow(
  tape: CoveredTape,
  contract: string,
  damaged: DamagedDays,
): Promise<TapeNow> {
  // Must be read before the days: they then contain everything up to this watermark.
  const promise = tape.promiseOf?.(contract) ?? null;
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

/** What is missing of a day at that moment. */
export function missingNow({ onTape }: Pick<TapeNow, 'onTape'>): MissingOn {
  return (day) => missingOf(onTape.get(day));
}

/** Identifies the content of a day that no longer grows, trades and gaps; null while it grows. */
export function sealedText(day: TapeDay): string | null {
  const { digest, version } = day;
  // Live gaps count by the hour, those of imported days by the day: the same gaps may give other results.
  if (version === undefined && hasLiveGaps(day)) {
    return digest === undefined ? null : `${digest} live without ${gapsOf(day)}`;
  }
  return version ?? digest ?? null;
}

/** The sealed day that was found damaged; null for another error. */
export function damagedDay(error: unknown): UtcDay | null {
  if (!(error instanceof TapeDamagedError)) return null;
  const name = error.file.slice(error.file.lastIndexOf('/') + 1);
  return dayOfFile(name, 'arrow') ?? dayOfFile(name, 'json') ?? dayOfImportedFile(name);
}

/** A tape without its damaged days, including those found later, and without hidden days. */
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

/** The days of [first, day) on the tape, as a text that is different for other days. */
export function daysBefore(onTape: TapeNow['onTape'], first: UtcDay, day: UtcDay): string {
  const days: string[] = [];
  for (let one = first; one < day; one = addDays(one, 1)) {
    const found = onTape.get(one);
    if (found !== undefined) days.push(dayText(found));
  }
  return days.join();
}

/** The replaceable days of [first, last] and their content. */
export function replaceableDays(onTape: TapeNow['onTape'], first: UtcDay, last: UtcDay): string {
  const days = [...onTape.values()].filter(({ day, version }) => {
    return version !== undefined && day >= first && day <= last;
  });
  return days.map(dayText).join();
}

function dayText(day: TapeDay): string {
  const count = `${day.day} ${day.trades}`;
  if (day.version !== undefined) return `${count} ${day.version}`;
  return hasLiveGaps(day) ? `${count} without ${gapsOf(day)}` : count;
}

function gapsOf({ gaps = [] }: TapeDay): string {
  return gaps.join(' ');
}

/** One contract's tape without some days (ascending); it grows with the original. */
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

  promiseOf(symbol: string): EpochNs | null {
    return this.#tape.promiseOf?.(symbol) ?? null;
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
