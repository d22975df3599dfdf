/**
 * The names that a file's metadata give to instrument ids, by day. There may be a million, of which few trade: they
 * stay encoded beside an index, and become strings on demand.
 */

import { FeedError } from '../feed-trades.ts';
import { NAME_KINDS } from './dbn-kinds.ts';
import { textAt } from './dbn-text.ts';

/** Offsets in the head of the file; days are numbers like 20261116, `toDay` is exclusive. */
export interface MappedInterval {
  readonly nameAt: number;
  readonly fromDay: number;
  readonly toDay: number;
  readonly outputAt: number;
}

export interface DbnMapping {
  readonly name: string;
  readonly intervals: readonly {
    readonly fromDay: number;
    readonly toDay: number;
    readonly output: string;
  }[];
}

export class DbnMappings {
  readonly nameKindIn: number;
  readonly nameKindOut: number;
  readonly #head: Uint8Array;
  readonly #symbolBytes: number;
  readonly #intervals: MappedInterval[] = [];
  /** The newest interval of each id, and for each interval the previous one of the same id. */
  readonly #lastOfId = new Map<number, number>();
  readonly #before: number[] = [];

  constructor(head: Uint8Array, symbolBytes: number, nameKindIn: number, nameKindOut: number) {
    this.#head = head;
    this.#symbolBytes = symbolBytes;
    this.nameKindIn = nameKindIn;
    this.nameKindOut = nameKindOut;
  }

  add(interval: MappedInterval): void {
    const id = this.#idOf(interval);
    this.#before.push(this.#lastOfId.get(id) ?? -1);
    if (id !== -1) this.#lastOfId.set(id, this.#intervals.length);
    this.#intervals.push(interval);
  }

  /**
   * The name of an id on a day; null if the file has none. Two names for one id on one day are rejected, unless they
   * are of a kind of which an instrument has several.
   */
  nameOf(id: number, day: number): string | null {
    let name: string | null = null;
    let index = this.#lastOfId.get(id) ?? -1;
    for (; index !== -1; index = this.#before[index]!) {
      const { nameAt, outputAt, fromDay, toDay } = this.#intervals[index]!;
      if (day < fromDay || day >= toDay) continue;
      const other = this.#text(this.isIdOut() ? nameAt : outputAt);
      if (name !== null && name !== other && this.isVenueSymbol()) {
        throw new FeedError(
          `The metadata call instrument ${id} both ${other} and ${name} on ${day}.`,
        );
      }
      name = other;
    }
    return name;
  }

  /** Whether names are symbols of the venue, unlike `ES.c.0`, which later stands for another contract. */
  isVenueSymbol(): boolean {
    const kind = this.isIdOut() ? this.nameKindIn : this.nameKindOut;
    return kind === NAME_KINDS.rawSymbol || kind === NAME_KINDS.parent;
  }

  /** Whether mappings lead from names to ids. */
  isIdOut(): boolean {
    return this.nameKindOut === NAME_KINDS.instrumentId;
  }

  *[Symbol.iterator](): Generator<DbnMapping> {
    for (let index = 0; index < this.#intervals.length; ) {
      const { nameAt } = this.#intervals[index]!;
      const intervals = [];
      for (; this.#intervals[index]?.nameAt === nameAt; index += 1) {
        const { fromDay, toDay, outputAt } = this.#intervals[index]!;
        intervals.push({ fromDay, toDay, output: this.#text(outputAt) });
      }
      yield { name: this.#text(nameAt), intervals };
    }
  }

  /** An id is decimal digits; an interval without an id means that there was none. */
  #idOf({ nameAt, outputAt }: MappedInterval): number {
    let at = this.isIdOut() ? outputAt : nameAt;
    const end = at + this.#symbolBytes;
    let id = 0;
    let digits = 0;
    for (; at < end && this.#head[at] !== 0; at += 1) {
      const digit = this.#head[at]! - 0x30;
      if (digit < 0 || digit > 9 || digits === 10) return -1;
      id = id * 10 + digit;
      digits += 1;
    }
    return digits === 0 || id > 0xffff_ffff ? -1 : id;
  }

  #text(at: number): string {
    return textAt(this.#head, at, this.#symbolBytes);
  }
}
