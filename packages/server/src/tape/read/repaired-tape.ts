/**
 * A live tape some of whose finished days came from files: an imported day is read instead of the sealed live one, and
 * days before the first live day exist only there. A day in memory is always read from memory. A read of days without
 * imports goes to the live tape directly, so a follower at the tape's end needs no disk access.
 */

import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays } from '@tapeloom/core/utc-day';
import type { Tape, TapeDay, TapePlace } from '../tape.ts';
import type { LiveDays } from './tape-reader.ts';

/** The imported days of a dataset. */
export interface ImportedDaysTape extends Tape {
  /** The imported days of a contract, ascending, without disk access. */
  importedDays(symbol: string): readonly UtcDay[];
}

export type DaysInMemory = Pick<LiveDays, 'liveColumns'>;

export interface RepairedTapeParts {
  readonly live: Tape;
  /** The days of the live tape that are in memory. */
  readonly memory: DaysInMemory;
  readonly imported: ImportedDaysTape;
}

export class RepairedTape implements Tape {
  readonly #live: Tape;
  readonly #memory: DaysInMemory;
  readonly #imported: ImportedDaysTape;

  constructor({ live, memory, imported }: RepairedTapeParts) {
    this.#live = live;
    this.#memory = memory;
    this.#imported = imported;
  }

  async days(symbol: string): Promise<readonly TapeDay[]> {
    // A day that is sealed between the two is found in both; the imported one counts then.
    const live = await this.#live.days(symbol);
    if (this.#imported.importedDays(symbol).length === 0) return live;
    const open = new Set(live.flatMap(({ day, state }) => (state === 'open' ? [day] : [])));
    const imported = (await this.#imported.days(symbol)).filter(({ day }) => !open.has(day));
    const isImported = new Set(imported.map(({ day }) => day));
    const rest = live.filter(({ day }) => !isImported.has(day));
    return [...rest, ...imported].sort((a, b) => a.day - b.day);
  }

  read(
    symbol: string,
    from: TapePlace,
    to?: TapePlace,
    isLent?: boolean,
  ): AsyncIterable<TradeBatch> {
    const days = this.#importedIn(symbol, from, to);
    if (days.length === 0) return this.#live.read(symbol, from, to, isLent);
    return this.#readSplit(symbol, days, from, to, isLent);
  }

  rankBefore(symbol: string, day: UtcDay, ns: number): Promise<Rank> {
    return this.#tapeOf(symbol, day).rankBefore(symbol, day, ns);
  }

  async filesVersion(symbol: string, day: UtcDay): Promise<string> {
    return (await this.#tapeOf(symbol, day).filesVersion?.(symbol, day)) ?? '';
  }

  async daysVersion(symbol: string): Promise<string> {
    const live = (await this.#live.daysVersion?.(symbol)) ?? '';
    if (this.#imported.importedDays(symbol).length === 0) return live;
    return `${live} ${(await this.#imported.daysVersion?.(symbol)) ?? ''}`;
  }

  /** `days`: the imported ones, at least one. */
  async *#readSplit(
    symbol: string,
    days: readonly UtcDay[],
    from: TapePlace,
    to: TapePlace | undefined,
    isLent: boolean | undefined,
  ): AsyncGenerator<TradeBatch> {
    let place = from;
    for (const day of days) {
      const [begin, end] = [midnight(day), midnight(addDays(day, 1))];
      if (place.day < day) yield* this.#live.read(symbol, place, begin, isLent);
      const first = place.day < day ? begin : place;
      const last = to?.day === day ? to : end;
      yield* this.#imported.read(symbol, first, last, isLent);
      place = end;
    }
    if (to === undefined || to.day >= place.day) yield* this.#live.read(symbol, place, to, isLent);
  }

  #importedIn(symbol: string, from: TapePlace, to: TapePlace | undefined): readonly UtcDay[] {
    const all = this.#imported.importedDays(symbol);
    // The days ascend, and most reads are behind all of them.
    if (all.length === 0 || all.at(-1)! < from.day) return [];
    const days = all.filter((day) => day >= from.day && (to === undefined || day <= to.day));
    return days.length === 0 ? days : this.#withoutMemory(symbol, days);
  }

  #withoutMemory(symbol: string, days: readonly UtcDay[]): readonly UtcDay[] {
    const here = new Set(this.#memory.liveColumns(symbol).map(({ day }) => day));
    return here.size === 0 ? days : days.filter((day) => !here.has(day));
  }

  #tapeOf(symbol: string, day: UtcDay): Tape {
    const isImported = this.#imported.importedDays(symbol).includes(day);
    return isImported && this.#withoutMemory(symbol, [day]).length > 0
      ? this.#imported
      : this.#live;
  }
}

function midnight(day: UtcDay): TapePlace {
  return { day, rank: 0 as Rank };
}
